// The figures of a replay for game designers, as tables and JSON. Two sets of rules can be
// compared.
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

// Compares how a replay paired the first arrivals (single players in duels) with the best pairs in
// hindsight.
struct Comparison {
  double lambda = 1;  // cost of a second of waiting, in units of the number
  std::size_t arrivals = 0;
  Percentiles own_distances;
  Percentiles own_waits_s;
  Percentiles best_distances;
  Percentiles best_waits_s;
  double own_cost = 0;  // cost of the replay's pairs
  double best_cost = 0;
};

struct Figures {
  std::string name;  // name of the rules' file
  std::size_t tickets = 0;
  std::size_t players = 0;
  std::size_t seated = 0;  // players that got a seat
  std::size_t left = 0;    // players that left without a seat
  std::size_t refused = 0;
  std::size_t rooms = 0;
  double fill = 0;  // share of seats taken at the start, all rooms
  std::uint64_t passed = 0;
  Percentiles waits_s;  // waits of seated tickets
  std::vector<double> all_waits_s;
  // Number of tickets that got an estimated p90 on arrival, and number of these tickets that were
  // seated within that time.
  std::size_t told = 0;
  std::size_t told_right = 0;
  std::vector<Percentiles> waits_by_hour;
  std::vector<Percentiles> waits_by_decile;  // by decile of the rules' first number, lowest first
  std::vector<double> left_by_decile;        // percent of the decile's tickets
  Percentiles spread;
  Percentiles latency_ms;
  std::optional<Percentiles> gap;
  // No rules can give a shorter mean wait if all players get seats, because no room can start
  // before its last player arrives. Has a value only if every room starts full.
  std::optional<double> least_mean_wait_s;
  double mean_wait_s = 0;
  std::optional<Comparison> comparison;
};

[[nodiscard]] Figures figures_of(const std::string& name, const master::plan::Rules& rules,
                                 const std::vector<Arrival>& arrivals, const Replayed& replayed);

// Compares the replay's pairs of the first `count` arrivals with the best pairs. Returns a value
// only if the rules make duels of single players by a number. REQUIRES: lambda > 0.
[[nodiscard]] std::optional<Comparison> compare_with_optimum(const master::plan::Rules& rules,
                                                             const std::vector<Arrival>& arrivals,
                                                             const ReplayOptions& options,
                                                             std::size_t count, double lambda);

[[nodiscard]] Table summary_table(const std::vector<Figures>& all);
[[nodiscard]] Table decile_table(const std::vector<Figures>& all);
[[nodiscard]] Table hour_table(const std::vector<Figures>& all);
[[nodiscard]] Table optimum_table(const std::vector<Figures>& all);
// Writes {…origin…,"replays":[…]} for `--json` and the report's page.
[[nodiscard]] std::string to_json(nlohmann::ordered_json origin, const std::vector<Figures>& all);

}  // namespace fixkeep::client_sim::replay
