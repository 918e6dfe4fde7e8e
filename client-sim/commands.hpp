// The commands of client-sim: compare, load, up.
//
// Thread rule: call from the main thread of a single-threaded process; each call blocks until done.
// Errors: returned as an exit code (see options.hpp); `err` gets the reason.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "client-sim/options.hpp"
#include "client-sim/report/results.hpp"

namespace fixkeep::client_sim {

[[nodiscard]] int run_command(const Options& options, std::ostream& out, std::ostream& err);

// Prints `tables` and the faults of the runs. Writes the report to the requested files.
[[nodiscard]] int present_runs(const Options& options, const std::vector<RunResult>& runs,
                               const std::string& tables, std::ostream& out, std::ostream& err);

}  // namespace fixkeep::client_sim
