// The table for live runs of a mode with widening rules. The table for plain groups
// (client-sim/report/run_tables.hpp) compares the rooms with the number that a group needs. This
// number is undefined for a pool.
//
// Thread rule: a pure function. Errors: an unknown figure is "–".
#pragma once

#include <vector>

#include "client-sim/report/results.hpp"
#include "client-sim/report/table.hpp"

namespace fixkeep::client_sim {

// A row for each lock: the figures of its run or, for several seeds, least / median / most. Times
// count only seated players. REQUIRES: runs of a PoolMode.
[[nodiscard]] Table pools_table(const std::vector<RunResult>& runs);

}  // namespace fixkeep::client_sim
