// `fixkeep-lab locks` measures every lock with the same work on the same machine.
//
// The lock nodes are real processes. In each round all strategies run one after another. A
// strategy's servers run only during its measurement. The burst of players is the same as in
// `fixkeep-lab compare`. Thread rule: call from the main thread of a single-threaded process;
// blocks until done. Errors: an exit code (see options.hpp); the reason is written to `err`. If one
// strategy fails, the other strategies are measured nevertheless.
#pragma once

#include <iosfwd>

#include "client-sim/options.hpp"
#include "lab/locks/options.hpp"

namespace fixkeep::client_sim {

// `options` names the locks and describes the bursts.
[[nodiscard]] int run_locks(const Options& options, const LocksOptions& bench, std::ostream& out,
                            std::ostream& err);

}  // namespace fixkeep::client_sim
