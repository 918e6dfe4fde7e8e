#include "lab/theory/command.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <array>
#include <cmath>
#include <numeric>
#include <ostream>

#include "client-sim/output.hpp"
#include "client-sim/report/run_json.hpp"
#include "client-sim/report/table.hpp"
#include "common/base/lock_strategies.hpp"
#include "common/base/percentiles.hpp"
#include "lab/theory/formulas.hpp"
#include "lab/theory/mesh.hpp"

namespace fixkeep::client_sim {
namespace {

using lab_theory::Counts;
using lab_theory::flight;
using lab_theory::Formula;
using lab_theory::Formulas;
using lab_theory::Mesh;
using nlohmann::ordered_json;

// Shares of the greatest possible load.
constexpr std::array loads{0.1, 0.25, 0.5, 0.7, 0.8, 0.9, 0.95};
constexpr double cdf_load = 0.8;

double mean(const std::vector<double>& values) {
  if (values.empty()) return 0;
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

// Returns half the width of the 95 % confidence interval of the mean. `student` is Student's t for
// five values.
double error_of(const std::vector<double>& values) {
  if (values.size() < 2) return 0;
  const double middle = mean(values);
  double squares = 0;
  for (const double value : values) squares += (value - middle) * (value - middle);
  const auto count = static_cast<double>(values.size());
  constexpr double student = 2.78;
  return student * std::sqrt(squares / (count - 1) / count);
}

double per_grant(std::uint64_t sum, const Counts& counts) {
  return static_cast<double>(sum) / static_cast<double>(std::max<std::uint64_t>(1, counts.grants));
}

Duration flights(double number) {
  return Duration{static_cast<std::int64_t>(number * static_cast<double>(flight.count()))};
}

// The counts and formulas of one lock with one number of masters.
struct Point {
  std::string lock;
  std::size_t masters = 0;
  Counts light;
  Counts heavy;
  Formulas formulas;
};

ordered_json json_of(double measured, const Formula& formula) {
  ordered_json json{{"measured", measured}};
  if (formula.text.empty()) return json;
  json["formula"] = formula.text;
  json["expected"] = formula.value;
  json["bound"] = formula.bound;
  return json;
}

ordered_json json_of(const Point& point) {
  return {{"lock", point.lock},
          {"masters", point.masters},
          {"light_messages",
           json_of(per_grant(point.light.messages, point.light), point.formulas.light)},
          {"heavy_messages",
           json_of(per_grant(point.heavy.messages, point.heavy), point.formulas.heavy)},
          {"heavy_bytes", per_grant(point.heavy.bytes, point.heavy)},
          {"light_response_flights", mean(point.light.responses)},
          {"delay_flights", json_of(mean(point.heavy.delays), point.formulas.delay)},
          {"fairness", jain_index(point.heavy.shares)},
          {"longest_overtaking", point.heavy.longest_overtaking}};
}

std::string beside(double measured, const Formula& formula) {
  if (formula.text.empty()) return fmt::format("{:.2f}", measured);
  return fmt::format("{:.2f} ({}{:.2f})", measured, formula.bound ? "<= " : "", formula.value);
}

Table table_of(const std::vector<Point>& points) {
  Table table{{"lock", "masters", "light: messages (paper)", "heavy: messages (paper)",
               "heavy: bytes", "light: response", "heavy: delay (paper)", "fairness", "overtaken"}};
  for (const Point& point : points) {
    table.push_back({point.lock, std::to_string(point.masters),
                     beside(per_grant(point.light.messages, point.light), point.formulas.light),
                     beside(per_grant(point.heavy.messages, point.heavy), point.formulas.heavy),
                     fmt::format("{:.0f}", per_grant(point.heavy.bytes, point.heavy)),
                     fmt::format("{:.2f}", mean(point.light.responses)),
                     beside(mean(point.heavy.delays), point.formulas.delay),
                     fmt::format("{:.2f}", jain_index(point.heavy.shares)),
                     std::to_string(point.heavy.longest_overtaking)});
  }
  return table;
}

std::vector<std::string> disagreements_of(const Point& point) {
  std::vector<std::string> all;
  const auto check = [&](const char* what, double measured, const Formula& formula) {
    if (formula.agrees(measured)) return;
    all.push_back(fmt::format("{} with {} masters, {}: {:.2f} instead of {} = {:.2f}", point.lock,
                              point.masters, what, measured, formula.text, formula.value));
  };
  check("messages of a light hold", per_grant(point.light.messages, point.light),
        point.formulas.light);
  check("messages of a heavy hold", per_grant(point.heavy.messages, point.heavy),
        point.formulas.heavy);
  check("delay", mean(point.heavy.delays), point.formulas.delay);
  if (!point.light.ended || !point.heavy.ended) {
    all.push_back(
        fmt::format("{} with {} masters did not come to its end", point.lock, point.masters));
  }
  return all;
}

// Returns the mean response time at each load, with its error over the seeds, and all response
// times at `cdf_load`.
ordered_json curve_of(const std::string& lock, const TheoryOptions& theory) {
  Mesh busy{lock, theory.load_masters, 1};
  const double service = mean(busy.heavy(theory.grants, flights(theory.hold)).delays) + theory.hold;
  ordered_json curve{{"lock", lock}, {"service_flights", service}};
  for (const double load : loads) {
    std::vector<double> means;
    std::vector<double> all;
    for (std::uint32_t seed = 1; seed <= theory.seeds; ++seed) {
      Mesh mesh{lock, theory.load_masters, seed};
      const Counts counts =
          mesh.poisson(theory.grants, flights(theory.hold), flights(service / load));
      means.push_back(mean(counts.responses));
      all.insert(all.end(), counts.responses.begin(), counts.responses.end());
    }
    curve["points"].push_back(
        {{"load", load}, {"response_flights", mean(means)}, {"error", error_of(means)}});
    if (load == cdf_load) curve["responses_flights"] = quantiles_json(all);
  }
  return curve;
}

}  // namespace

void add_theory_options(CLI::App& command, TheoryOptions& options) {
  command.add_option("--masters", options.masters, "Numbers of masters, with commas between")
      ->delimiter(',')
      ->check(CLI::Range(2, 64));
  command.add_option("--load-masters", options.load_masters, "Masters of the curves over load")
      ->check(CLI::Range(2, 64));
  command.add_option("--seeds", options.seeds, "Simulations of each point of these curves")
      ->check(CLI::Range(1, 100));
  command.add_option("--grants", options.grants, "Holds of each simulation")
      ->check(CLI::Range(100, 100'000));
  command.add_option("--hold", options.hold, "Length of a hold, in flights of a message")
      ->check(CLI::Range(0.0, 1000.0));
}

int run_theory(const Options& options, const TheoryOptions& theory, std::ostream& out,
               std::ostream& err) {
  std::vector<Point> points;
  std::vector<std::string> faults;
  auto sources = ordered_json::array();
  auto curves = ordered_json::array();
  for (const std::string& lock : options.locks) {
    for (const std::size_t masters : theory.masters) {
      Point point{lock, masters, Mesh{lock, masters, 1}.light(theory.grants),
                  Mesh{lock, masters, 1}.heavy(theory.grants, flights(theory.hold)),
                  lab_theory::formulas_of(lock, masters)};
      for (std::string& fault : disagreements_of(point)) faults.push_back(std::move(fault));
      points.push_back(std::move(point));
    }
    const Formulas& formulas = points.back().formulas;
    sources.push_back({{"lock", lock},
                       {"light", formulas.light.text},
                       {"heavy", (formulas.heavy.bound ? "at most " : "") + formulas.heavy.text},
                       {"delay", (formulas.delay.bound ? "at most " : "") + formulas.delay.text},
                       {"source", formulas.source},
                       {"note", formulas.note}});
    curves.push_back(curve_of(lock, theory));
  }
  out << "Messages of a hold, bytes, and times in flights of a message; formulas in brackets\n\n"
      << to_text(table_of(points)) << '\n';
  for (const std::string& fault : faults) out << "FAULT " << fault << '\n';
  if (faults.empty()) out << "every count agrees with its formula to 2 %\n";
  auto report = report_origin(options.command_line);
  report["facts"] = ordered_json::array();
  for (const auto& [name, value] : std::initializer_list<std::pair<const char*, std::string>>{
           {"holds of each simulation", std::to_string(theory.grants)},
           {"length of a hold", fmt::format("{} flights", theory.hold)},
           {"masters of the curves", std::to_string(theory.load_masters)},
           {"seeds of each point", std::to_string(theory.seeds)}}) {
    report["facts"].push_back(ordered_json::array({name, value}));
  }
  report["theory"] = {{"sources", sources}, {"curves", curves}, {"faults", faults}};
  for (const Point& point : points) report["theory"]["points"].push_back(json_of(point));
  if (!write_report(report.dump(), options.json_file, options.report_file, err)) return exit_usage;
  return faults.empty() ? exit_fine : exit_verdict;
}

}  // namespace fixkeep::client_sim
