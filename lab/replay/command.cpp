#include "lab/replay/command.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <ostream>
#include <utility>
#include <variant>

#include "client-sim/output.hpp"
#include "client-sim/report/run_json.hpp"
#include "lab/replay/figures.hpp"

namespace fixkeep::client_sim {
namespace {

using Arrivals = std::vector<replay::Arrival>;
using replay::Figures;

std::optional<master::Mode> read_mode_file(const std::string& path, std::ostream& err) {
  auto read = master::read_rules_file(path);
  if (auto* mode = std::get_if<master::Mode>(&read)) return std::move(*mode);
  for (const auto& problem : std::get<config::Problems>(read)) err << to_string(problem) << '\n';
  return std::nullopt;
}

// The report's facts: [[name, value], …].
nlohmann::ordered_json facts_of(const ReplayCommandOptions& asked) {
  auto facts = nlohmann::ordered_json::array();
  const auto add = [&facts](const char* name, const std::string& value) {
    if (!value.empty()) facts.push_back(nlohmann::ordered_json::array({name, value}));
  };
  add("rules", asked.rules);
  add("against", asked.against);
  add("arrivals", asked.arrivals.empty() ? fmt::format("a made day of {} tickets, seed {}",
                                                       asked.day.tickets, asked.day.seed)
                                         : asked.arrivals);
  add("a decision every", fmt::format("{} ms", asked.tick_ms));
  return facts;
}

int present_replays(const std::vector<Figures>& all, const Options& options,
                    const ReplayCommandOptions& asked, std::ostream& out, std::ostream& err) {
  out << to_text(summary_table(all)) << '\n';
  if (all.front().comparison) out << to_text(optimum_table(all)) << '\n';
  if (const Table deciles = decile_table(all); deciles.size() > 1) {
    out << "Waiting by tenths of the first number, p50 / p90 / p99\n" << to_text(deciles) << '\n';
  }
  auto origin = report_origin(options.command_line);
  origin["facts"] = facts_of(asked);
  const bool written =
      write_report(to_json(origin, all), options.json_file, options.report_file, err);
  return written ? exit_fine : exit_usage;
}

// Reads the distributions of a made day's numbers. Returns false with a message on `err` after a
// mistake.
bool read_bells(const std::vector<std::string>& texts, const std::vector<master::Mode>& modes,
                replay::Bells& bells, std::ostream& err) {
  for (const auto& text : texts) {
    auto bell = replay::parse_bell(text);
    if (const auto* mistake = std::get_if<std::string>(&bell)) {
      err << *mistake << '\n';
      return false;
    }
    const auto& name = std::get<replay::Bells::value_type>(bell).first;
    const bool known = std::any_of(modes.begin(), modes.end(), [&](const master::Mode& mode) {
      const auto& all = mode.rules->numbers;
      return std::find(all.begin(), all.end(), name) != all.end();
    });
    if (!known) {
      err << "--number: the rules have no number \"" << name << "\"\n";
      return false;
    }
    bells.insert(std::get<replay::Bells::value_type>(std::move(bell)));
  }
  return true;
}

}  // namespace

int run_replay(const Options& options, const ReplayCommandOptions& asked, std::ostream& out,
               std::ostream& err) {
  std::vector<std::string> files{asked.rules};
  if (!asked.against.empty()) files.push_back(asked.against);
  std::vector<master::Mode> modes;
  for (const auto& file : files) {
    if (auto mode = read_mode_file(file, err)) modes.push_back(std::move(*mode));
  }
  if (modes.size() < files.size()) return exit_usage;
  if (asked.check) {
    out << "The rules are fine.\n";
    return exit_fine;
  }
  auto day = asked.day;
  if (!read_bells(asked.numbers, modes, day.own, err)) return exit_usage;
  const replay::ReplayOptions how{std::chrono::milliseconds{asked.tick_ms},
                                  std::chrono::seconds{asked.session_s}};
  std::vector<Figures> all;
  for (std::size_t i = 0; i < modes.size(); ++i) {
    const auto& rules = *modes[i].rules;
    // Each set of rules gets its own arrivals, because the rules decide which values of a player
    // are read or made. Made arrivals have the same times in all sets, because the seed is the
    // same.
    auto arrivals = asked.arrivals.empty()
                        ? std::variant<Arrivals, std::string>{made_arrivals(rules, day)}
                        : replay::read_arrivals(asked.arrivals, modes[i]);
    if (const auto* mistake = std::get_if<std::string>(&arrivals)) {
      err << *mistake << '\n';
      return exit_usage;
    }
    const auto& list = std::get<Arrivals>(arrivals);
    all.push_back(figures_of(std::filesystem::path{files[i]}.stem().string(), rules, list,
                             replay::replay(rules, list, how)));
    all.back().comparison = compare_with_optimum(rules, list, how, asked.optimum, asked.lambda);
  }
  return present_replays(all, options, asked, out, err);
}

}  // namespace fixkeep::client_sim
