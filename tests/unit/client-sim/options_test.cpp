// What command lines, settings of a race and lines for the relay mean (options.txt): each alone.
#include "client-sim/options.hpp"

#include <gtest/gtest.h>

#include <sstream>

#include "client-sim/arrival_options.hpp"
#include "client-sim/distance_options.hpp"
#include "client-sim/race/settings.hpp"
#include "client-sim/relay/core/command.hpp"
#include "tests/support/scripts.hpp"

namespace fixkeep::client_sim {
namespace {

std::string said(const Distances& distances) {
  std::ostringstream text;
  const auto part = [&](const char* name, const std::optional<double>& value) {
    if (value && *value != 0) text << ' ' << name << '=' << *value;
  };
  part("link", distances.link_ms);
  part("master", distances.master_ms);
  part("worker", distances.worker_ms);
  part("jitter", distances.jitter_ms);
  part("loss", distances.loss_percent);
  if (!distances.zones.text.empty()) text << " zones=" << distances.zones.names.size();
  return text.str().empty() ? "here" : text.str().substr(1);
}

std::string said(const RaceSettings& settings) {
  std::ostringstream text;
  text << "link=" << settings.link_delay_ms << " boot=" << settings.boot_ms
       << " rate=" << settings.rate << " spread=" << settings.spread_ms << " groups=";
  for (const bool group : settings.groups) text << (group ? '+' : '-');
  return text.str() + (settings.running ? "" : " stopped");
}

std::string said(const Options& options) {
  std::ostringstream text;
  const auto& race = options.race;
  switch (options.command) {
    case Command::race:
      text << options.locks.front() << " at " << race.listen << ", groups of " << race.group_players
           << "; " << said(race.settings)
           << "; clusters with link=" << race.cluster.distances.link_ms << " of "
           << race.cluster.most_link_ms << " boot=" << race.cluster.boot_ms;
      break;
    case Command::locks:
      text << (options.locks == known_locks() ? "all" : options.locks.front()) << ", "
           << options.cluster.masters << " masters, " << options.bench.rounds << " rounds of "
           << options.bench.measured.seconds << " s"
           << (options.bench.burst ? ", and a burst of " : "");
      if (options.bench.burst) text << options.workload.players;
      break;
    case Command::replay:
      text << options.replay.rules
           << (options.replay.against.empty() ? "" : " against " + options.replay.against) << ", "
           << options.replay.day.tickets << " arrivals";
      break;
    case Command::engines:
    case Command::load:
    case Command::up:
    case Command::compare:
      for (const auto arrival : options.arrivals) {
        const auto with = with_arrival(options, arrival);
        EXPECT_EQ(with.workload.players, with.cluster.players);
        text << to_string(arrival) << " of " << with.workload.players << ", rooms stay "
             << with.cluster.close_empty_after_ms << "; ";
      }
      for (const auto& distances : options.distances) text << said(distances) << "; ";
      if (options.rules) {
        text << options.mode << " of " << options.cluster.capacity << ", groups "
             << options.workload.groups << "; ";
      }
      if (options.cluster.runner != "process") text << "rooms by " << options.cluster.runner;
      break;
  }
  const auto all = text.str();
  return all.substr(0, all.find_last_not_of("; ") + 1);
}

std::string command_line(const std::string& line) {
  std::vector<std::string> words{"fixkeep-client-sim"};
  for (support::Words rest{line}; !rest.done();) words.push_back(rest.next());
  std::vector<const char*> arguments;
  for (const auto& word : words) arguments.push_back(word.c_str());
  std::ostringstream out;
  std::ostringstream err;
  const auto parsed = parse_options(static_cast<int>(arguments.size()), arguments.data(), out, err);
  if (const auto* options = std::get_if<Options>(&parsed)) return said(*options);
  EXPECT_EQ(std::get<ExitCode>(parsed).code, exit_usage);
  const auto line_of_error = err.str().substr(0, err.str().find('\n'));
  const auto words_of_cli11 =
      std::min(line_of_error.find(": Invalid "), line_of_error.find(": Value "));
  return line_of_error.substr(0, words_of_cli11);
}

std::string of_relay(const std::string& line) {
  std::ostringstream text;
  const auto conditions = [&](const relay::Conditions& all) {
    text << all.delay.count() << " us, jitter " << all.jitter.count() << ", loss " << all.loss;
  };
  const auto command = relay::parse_command(line);
  if (const auto* wrong = std::get_if<relay::Mistake>(&command)) return wrong->text;
  if (const auto* open = std::get_if<relay::OpenWire>(&command)) {
    text << open->wire << " from " << open->listen << " to " << open->target << ": ";
    conditions(open->conditions);
  } else if (const auto* change = std::get_if<relay::ChangeWire>(&command)) {
    relay::Conditions all{.delay = Duration{20'000}, .jitter = Duration{1000}, .loss = 0.5};
    change->apply(all);
    text << change->wire << ": ";
    conditions(all);
  } else {
    text << "quit";
  }
  return text.str();
}

const bool options_of_client_sim =
    support::register_table("tests/unit/client-sim/options.txt", [](std::string_view command) {
      support::Words words{command};
      const auto what = words.next();
      const auto rest = words.rest();
      if (what == "relay") return of_relay(rest);
      if (what == "settings") {
        const auto result = change_settings({.groups = {true, true, true}}, rest);
        const auto* wrong = std::get_if<SettingsMistake>(&result);
        if (wrong == nullptr) return said(std::get<RaceSettings>(result));
        return std::string{wrong->type} + ": " + support::shown(wrong->detail);
      }
      if (what == "zones") {
        Zones zones;
        const auto problem = read_zones(rest, zones);
        if (!problem.empty()) return problem;
        std::ostringstream text;
        for (std::size_t row = 0; row < zones.names.size(); ++row) {
          text << (row > 0 ? "; " : "") << zones.names[row] << ':';
          for (const auto ms : zones.one_way_ms[row]) text << ' ' << ms;
        }
        return text.str();
      }
      return command_line(std::string{command});
    });

}  // namespace
}  // namespace fixkeep::client_sim
