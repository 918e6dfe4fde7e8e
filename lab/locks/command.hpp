// fixkeep-lab locks: every lock on the same work on the same machine.
//
// Locks are measured among lock nodes. Each is a real process. All strategies take turns in each
// round. The servers of a strategy run only while it is measured. The burst is compare's. Thread
// rule: from the main thread of a single-threaded process; blocks until done.
// Errors: an exit code (see options.hpp); the reason is written to `err`. A strategy that could not
// be measured does not keep the others from it.
#pragma once

#include <iosfwd>

#include "client-sim/options.hpp"
#include "lab/locks/options.hpp"

namespace fixkeep::client_sim {

// `options` select the locks and describe the bursts.
[[nodiscard]] int run_locks(const Options& options, const LocksOptions& bench, std::ostream& out,
                            std::ostream& err);

}  // namespace fixkeep::client_sim
