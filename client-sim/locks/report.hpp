// The report of `locks`: tables and plots of what every lock costs, on one HTML page.
//
// Thread rule: a pure function.
#pragma once

#include <string>
#include <vector>

#include "client-sim/locks/figures.hpp"
#include "client-sim/options.hpp"
#include "client-sim/report/html_parts.hpp"

namespace fixkeep::client_sim {

[[nodiscard]] std::string locks_report(const std::vector<LockFigures>& all,
                                       const std::vector<RunResult>& bursts, const Options& options,
                                       const ReportHeader& header);

}  // namespace fixkeep::client_sim
