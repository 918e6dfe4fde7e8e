// The report: one HTML page that needs nothing else, for light and dark, wide and narrow screens.
//
// Thread rule: a pure function.
#pragma once

#include <string>
#include <vector>

#include "client-sim/report/html_parts.hpp"
#include "client-sim/report/results.hpp"

namespace fixkeep::client_sim {

[[nodiscard]] std::string html_report(const std::vector<RunResult>& runs,
                                      const ReportHeader& header);

}  // namespace fixkeep::client_sim
