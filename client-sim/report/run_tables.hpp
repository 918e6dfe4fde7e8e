// The tables of a comparison. What must never be wrong stands before what is fast: duplicates,
// collisions, seats and players first, times last.
//
// "own late ms" is the p99 of client-sim's own lateness, to hold the times against.
// A time that some player waited for in vain is "never": those that got no seat count as the
// slowest of all. A figure that is not known is "–". Thread rule: free functions without state.
#pragma once

#include <vector>

#include "client-sim/report/results.hpp"
#include "client-sim/report/table.hpp"

namespace fixkeep::client_sim {

// A row for each run.
[[nodiscard]] Table runs_table(const std::vector<RunResult>& runs);

// A row for each lock: the figures of an only run, or least / median / most of the seeds.
[[nodiscard]] Table seeds_table(const std::vector<RunResult>& runs);

// The same of how often collisions and duplicates come while players come and go (churn). Only a
// heading if no run was one.
[[nodiscard]] Table rates_table(const std::vector<RunResult>& runs);

}  // namespace fixkeep::client_sim
