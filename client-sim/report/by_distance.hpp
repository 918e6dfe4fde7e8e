// Runs that were made with the nodes at several distances, told apart: in JSON, tables and plots.
//
// Thread rule: values and free functions without state.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "client-sim/report/html_parts.hpp"
#include "client-sim/report/results.hpp"

namespace fixkeep::client_sim {

struct DistanceGroup {
  std::string name;  // "20 ms", "zones"; empty if it is not known
  double link_ms = 0;
  std::vector<RunResult> runs;
};

// In the order of their first run.
[[nodiscard]] std::vector<DistanceGroup> by_distance(const std::vector<RunResult>& runs);

// Whether a strategy has several runs at one distance.
[[nodiscard]] bool has_repeated_runs(const std::vector<DistanceGroup>& groups);

// What `make` says of each group, one below the other; the second column says which, unless no two
// nodes were apart in any run.
[[nodiscard]] Table table_by_distance(const std::vector<DistanceGroup>& groups,
                                      Table (*make)(const std::vector<RunResult>&));

// link_delay_ms, master_delay_ms, worker_delay_ms, jitter_ms, loss_percent, zones. Null: of a
// cluster that was there already; the delays also where zones say them, and zones where none do.
void add_distances(nlohmann::ordered_json& object, const RunResult& run);

[[nodiscard]] Facts distance_facts(const std::vector<RunResult>& runs);

// Time to match and duplicates over the delay, a line for each strategy: values for the template of
// the page. Null if there are fewer than two delays.
[[nodiscard]] nlohmann::json distance_plots(const std::vector<DistanceGroup>& groups,
                                            const std::vector<std::string>& locks);

}  // namespace fixkeep::client_sim
