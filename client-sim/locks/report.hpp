// The report of `locks`: tables and plots of what every lock costs, on one HTML page.
//
// Thread rule: pure functions.
#pragma once

#include <string>
#include <vector>

#include "client-sim/locks/figures.hpp"
#include "client-sim/options.hpp"
#include "client-sim/report/html_parts.hpp"
#include "client-sim/report/picture.hpp"

namespace fixkeep::client_sim {

// The pictures of what must not happen stand first, then those of what it costs.
[[nodiscard]] std::vector<Picture> locks_pictures(const std::vector<LockFigures>& all,
                                                  const std::vector<RunResult>& bursts);

[[nodiscard]] std::string locks_report(const std::vector<LockFigures>& all,
                                       const std::vector<RunResult>& bursts, const Options& options,
                                       const ReportHeader& header);

}  // namespace fixkeep::client_sim
