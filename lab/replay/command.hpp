// `fixkeep-lab replay` shows the effect of rules on recorded or generated arrivals, in simulated
// time.
//
// Thread rule: call from the main thread; blocks until done. Errors: an exit code (see
// client-sim/options.hpp); mistakes in a file are written to `err`.
#pragma once

#include <iosfwd>

#include "client-sim/options.hpp"
#include "lab/replay/options.hpp"

namespace fixkeep::client_sim {

// `options`: the files of the report.
[[nodiscard]] int run_replay(const Options& options, const ReplayCommandOptions& asked,
                             std::ostream& out, std::ostream& err);

}  // namespace fixkeep::client_sim
