// The report: one HTML page that needs nothing else, for light and dark, wide and narrow screens.
//
// Thread rule: pure functions.
#pragma once

#include <string>
#include <vector>

#include "client-sim/report/html_parts.hpp"
#include "client-sim/report/picture.hpp"
#include "client-sim/report/results.hpp"

namespace fixkeep::client_sim {

[[nodiscard]] std::string html_report(const std::vector<RunResult>& runs,
                                      const ReportHeader& header);

// Every picture of the page, each with a name of its own. Of no runs: none.
[[nodiscard]] std::vector<Picture> all_pictures(const std::vector<RunResult>& runs);

}  // namespace fixkeep::client_sim
