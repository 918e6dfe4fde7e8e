// Live runs of a mode with widening rules have a table of their own: the needs of one group
// (client-sim/report/run_tables.hpp) have no meaning for a pool.
//
// Thread rule: a pure function. Errors: a figure that is not known is "–".
#pragma once

#include <vector>

#include "client-sim/report/results.hpp"
#include "client-sim/report/table.hpp"

namespace fixkeep::client_sim {

// A row for each lock: the figures of an only run or least / median / most of the seeds. Times are
// of players that got a seat. REQUIRES: runs of a PoolMode.
[[nodiscard]] Table pools_table(const std::vector<RunResult>& runs);

}  // namespace fixkeep::client_sim
