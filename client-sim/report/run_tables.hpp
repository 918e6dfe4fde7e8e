// The tables of a comparison. Correctness comes before speed: duplicates, collisions, seats and
// players are the first columns, and times are the last.
//
// "own late ms" is the p99 of client-sim's own lateness. Compare it with the times. Players without
// a seat count as the slowest. If a percentile falls on such a player, it is "never". An unknown
// figure is "–". Thread rule: free functions without state.
#pragma once

#include <vector>

#include "client-sim/report/results.hpp"
#include "client-sim/report/table.hpp"

namespace fixkeep::client_sim {

// Returns a row for each run.
[[nodiscard]] Table runs_table(const std::vector<RunResult>& runs);

// Returns a row for each lock. The row has the figures of the run. If there are several seeds, it
// has least / median / most.
[[nodiscard]] Table seeds_table(const std::vector<RunResult>& runs);

// Returns a row for each lock with the rates of collisions and duplicates in churn runs. Without
// churn runs there is only a heading.
[[nodiscard]] Table rates_table(const std::vector<RunResult>& runs);

}  // namespace fixkeep::client_sim
