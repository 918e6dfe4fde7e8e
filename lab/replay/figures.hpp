// The figures of a replay are for a designer: tables and JSON. Two sets of
// rules stand side by side.
//
// Thread rule: pure functions. Bounds: two sets of rules. Errors: none.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "client-sim/report/table.hpp"
#include "common/base/percentiles.hpp"
#include "lab/replay/optimum.hpp"
#include "lab/replay/replay.hpp"

namespace fixkeep::client_sim::replay {

// The first arrivals of a duel (played alone) beside the best pairs in hindsight.
struct Comparison {
  double lambda = 1;  // worth of a second of waiting, in the unit of the number
  std::size_t arrivals = 0;
  Percentiles own_distances;
  Percentiles own_waits_s;
  Percentiles best_distances;
  Percentiles best_waits_s;
  double own_cost = 0;  // cost of the pairs that were made
  double best_cost = 0;
};

struct Figures {
  std::string name;  // name of the file of rules
  std::size_t tickets = 0;
  std::size_t players = 0;
  std::size_t seated = 0;  // players
  std::size_t left = 0;    // players
  std::size_t refused = 0;
  std::size_t rooms = 0;
  double fill = 0;  // share of the seats of all rooms, at their start
  std::uint64_t passed = 0;
  Percentiles waits_s;  // waits of seated tickets
  std::vector<double> all_waits_s;
  // Tickets that were told a p90 on arrival and how many of them had a seat by then.
  std::size_t told = 0;
  std::size_t told_right = 0;
  std::vector<Percentiles> waits_by_hour;
  std::vector<Percentiles> waits_by_decile;  // waits by decile of the first number, lowest first
  std::vector<double> left_by_decile;        // percent of its tickets
  Percentiles spread;
  Percentiles latency_ms;
  std::optional<Percentiles> gap;
  // The mean wait of full seating is no shorter under any rules: a room waits for its last player
  // even if all may play with all. Only for rooms that start full.
  std::optional<double> least_mean_wait_s;
  double mean_wait_s = 0;
  std::optional<Comparison> comparison;
};

[[nodiscard]] Figures figures_of(const std::string& name, const master::plan::Rules& rules,
                                 const std::vector<Arrival>& arrivals, const Replayed& replayed);

// No value if the rules make no duels of single players by a number. REQUIRES: lambda > 0.
[[nodiscard]] std::optional<Comparison> compare_with_optimum(const master::plan::Rules& rules,
                                                             const std::vector<Arrival>& arrivals,
                                                             const ReplayOptions& options,
                                                             std::size_t count, double lambda);

[[nodiscard]] Table summary_table(const std::vector<Figures>& all);
[[nodiscard]] Table decile_table(const std::vector<Figures>& all);
[[nodiscard]] Table hour_table(const std::vector<Figures>& all);
[[nodiscard]] Table optimum_table(const std::vector<Figures>& all);
// {…origin…,"replays":[…]} for `--json` and the page of the report.
[[nodiscard]] std::string to_json(nlohmann::ordered_json origin, const std::vector<Figures>& all);

}  // namespace fixkeep::client_sim::replay
