#include "client-sim/report/run_tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

namespace fixkeep::client_sim {

namespace {

constexpr const char* unknown = "–";

using Runs = std::vector<const RunResult*>;

std::string one_decimal(double value) {
  return fmt::format("{:.1f}", value);
}

std::vector<std::string> run_row(const RunResult& run) {
  const auto& verdict = run.verdict;
  const auto times = match_ms_of_all(run);
  return {run.lock,
          std::to_string(run.seed),
          std::to_string(verdict.duplicate_rooms),
          run.bill ? std::to_string(run.bill->collisions.size()) : unknown,
          std::to_string(verdict.overbooked_seats),
          std::to_string(verdict.leaked_seats),
          std::to_string(verdict.turned_away),
          std::to_string(verdict.errors),
          std::to_string(verdict.dropped),
          fmt::format("{}/{}", verdict.seated, run.players),
          std::to_string(verdict.connected),
          std::to_string(verdict.rooms),
          std::to_string(verdict.ideal_rooms),
          run.bill ? one_decimal(run.bill->wasted_room_seconds) : unknown,
          fmt::format("{} %", std::lround(verdict.mean_fill * 100)),
          format_ms(times.p50),
          format_ms(times.p90),
          format_ms(times.p99),
          format_ms(times.max),
          format_ms(verdict.own_lateness_ms.p99)};
}

// `get` returns one figure of a run, or nothing if this figure is unknown.
std::string spread_cell(const Runs& runs, std::string (*format)(double), auto get) {
  std::vector<double> values;
  for (const auto* run : runs) {
    if (const std::optional<double> value = get(*run)) values.push_back(*value);
  }
  if (values.empty()) return unknown;
  if (runs.size() == 1) return format(values.front());
  return format_spread(spread(std::move(values)), format);
}

// Makes a cell from one count of the verdict.
std::string count_cell(const Runs& runs, std::uint64_t Verdict::*count) {
  return spread_cell(runs, format_whole, [count](const RunResult& run) {
    return std::optional{static_cast<double>(run.verdict.*count)};
  });
}

std::string collisions_cell(const Runs& runs) {
  return spread_cell(runs, format_whole, [](const RunResult& run) { return collisions_of(run); });
}

std::string time_cell(const Runs& runs, double Percentiles::*percentile) {
  return spread_cell(runs, format_ms, [percentile](const RunResult& run) {
    return std::optional{match_ms_of_all(run).*percentile};
  });
}

bool is_exact(const RunResult& run) {
  const auto& verdict = run.verdict;
  const bool as_needed = run.arrival == "churn" || verdict.rooms == verdict.ideal_rooms;
  return as_needed && verdict.duplicate_rooms == 0 && verdict.errors == 0;
}

}  // namespace

Table runs_table(const std::vector<RunResult>& runs) {
  Table table{{"lock",      "seed",        "duplicates", "collisions",    "overbooked",
               "leaked",    "turned away", "errors",     "dropped",       "seated",
               "connected", "rooms",       "ideal",      "wasted room-s", "fill",
               "p50 ms",    "p90 ms",      "p99 ms",     "max ms",        "own late ms"}};
  for (const auto& run : runs) table.push_back(run_row(run));
  return table;
}

Table seeds_table(const std::vector<RunResult>& runs) {
  Table table{{"lock", "seeds", "exact", "duplicates", "collisions", "overbooked", "leaked",
               "turned away", "errors", "dropped", "connected", "rooms", "wasted room-s", "p50 ms",
               "p99 ms", "own late ms"}};
  for (const auto& lock : strategies(runs)) {
    const auto mine = runs_of(runs, lock);
    const auto exact = std::count_if(mine.begin(), mine.end(),
                                     [](const RunResult* run) { return is_exact(*run); });
    table.push_back({lock, std::to_string(mine.size()), fmt::format("{}/{}", exact, mine.size()),
                     count_cell(mine, &Verdict::duplicate_rooms), collisions_cell(mine),
                     count_cell(mine, &Verdict::overbooked_seats),
                     count_cell(mine, &Verdict::leaked_seats),
                     count_cell(mine, &Verdict::turned_away), count_cell(mine, &Verdict::errors),
                     count_cell(mine, &Verdict::dropped), count_cell(mine, &Verdict::connected),
                     count_cell(mine, &Verdict::rooms),
                     spread_cell(mine, one_decimal,
                                 [](const RunResult& run) { return wasted_room_seconds_of(run); }),
                     time_cell(mine, &Percentiles::p50), time_cell(mine, &Percentiles::p99),
                     spread_cell(mine, format_ms, [](const RunResult& run) {
                       return std::optional{run.verdict.own_lateness_ms.p99};
                     })});
  }
  return table;
}

Table rates_table(const std::vector<RunResult>& runs) {
  Table table{{"lock", "seeds", "collisions/h", "duplicates/h", "collisions/1000 matches",
               "duplicates/1000 matches", "matches", "load ms"}};
  for (const auto& lock : strategies(runs)) {
    Runs mine;
    for (const auto* run : runs_of(runs, lock)) {
      if (rates_of(*run)) mine.push_back(run);
    }
    if (mine.empty()) continue;
    const auto rate = [&](std::optional<double> Rates::*member) {
      return spread_cell(mine, format_ms,
                         [member](const RunResult& run) { return (*rates_of(run)).*member; });
    };
    table.push_back({lock, std::to_string(mine.size()), rate(&Rates::collisions_per_hour),
                     rate(&Rates::duplicates_per_hour), rate(&Rates::collisions_per_1000),
                     rate(&Rates::duplicates_per_1000), count_cell(mine, &Verdict::seated),
                     spread_cell(mine, format_whole,
                                 [](const RunResult& run) { return std::optional{run.load_ms}; })});
  }
  return table;
}

}  // namespace fixkeep::client_sim
