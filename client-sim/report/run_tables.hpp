// The tables of a comparison. Correctness stands before speed: duplicates, collisions, seats and
// players first and times last.
//
// "own late ms" is the p99 of client-sim's own lateness for comparison with the times. A percentile
// that falls on players without a seat is "never": they count as the slowest. An unknown figure is
// "–". Thread rule: free functions without state.
#pragma once

#include <vector>

#include "client-sim/report/results.hpp"
#include "client-sim/report/table.hpp"

namespace fixkeep::client_sim {

// A row for each run.
[[nodiscard]] Table runs_table(const std::vector<RunResult>& runs);

// A row for each lock: the figures of an only run or least / median / most of the seeds.
[[nodiscard]] Table seeds_table(const std::vector<RunResult>& runs);

// The same of how often collisions and duplicates come while players come and go (churn). Only a
// heading if no run was one.
[[nodiscard]] Table rates_table(const std::vector<RunResult>& runs);

}  // namespace fixkeep::client_sim
