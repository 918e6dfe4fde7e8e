// The reports of a run have this in common: where and when it ran, and the files it writes.
//
// Thread rule: free functions without state.
#pragma once

#include <iosfwd>
#include <string>

#include "client-sim/report/html_report.hpp"

namespace fixkeep::client_sim {

[[nodiscard]] ReportHeader report_header(const std::string& command_line);

// False: it could not be written, which is said to `err`.
bool write_file(const std::string& path, const std::string& text, std::ostream& err);

}  // namespace fixkeep::client_sim
