// Live runs of a mode whose rules widen are told by a table, pictures, and a page of their own,
// since what one group needs (report/run_tables.hpp) has no meaning for a pool.
//
// Thread rule: pure functions. Errors: a figure that is not known is "–".
#pragma once

#include <string>
#include <vector>

#include "client-sim/report/html_parts.hpp"
#include "client-sim/report/picture.hpp"
#include "client-sim/report/results.hpp"
#include "client-sim/report/table.hpp"

namespace fixkeep::client_sim {

// A row for each lock: the figures of an only run, or least / median / most of the seeds. Times are
// of those who got a seat.
[[nodiscard]] Table pools_table(const std::vector<RunResult>& runs);

[[nodiscard]] std::vector<Picture> pictures_of_pools(const std::vector<RunResult>& runs);

// REQUIRES: runs of a mode whose rules widen.
[[nodiscard]] std::string pools_page(const std::vector<RunResult>& runs,
                                     const std::string& rules_file, const ReportHeader& header);

}  // namespace fixkeep::client_sim
