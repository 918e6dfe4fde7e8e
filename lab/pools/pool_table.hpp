// The table for live runs of a mode with widening rules. The table for plain groups
// (client-sim/report/run_tables.hpp) compares the number of rooms with the number that a group
// needs. A pool has no such number.
//
// Thread rule: a pure function. Errors: an unknown figure is "–".
#pragma once

#include <vector>

#include "client-sim/report/results.hpp"
#include "client-sim/report/table.hpp"

namespace fixkeep::client_sim {

// Returns a row for each lock: the figures of its run. For several seeds: least / median / most.
// Times count only seated players. REQUIRES: runs of a PoolMode.
[[nodiscard]] Table pools_table(const std::vector<RunResult>& runs);

}  // namespace fixkeep::client_sim
