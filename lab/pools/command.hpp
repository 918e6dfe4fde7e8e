// `fixkeep-lab pools` compares locks for a mode with widening rules.
//
// Thread rule: call from the main thread of a single-threaded process; blocks until done.
// Errors: an exit code (see client-sim/options.hpp); the reason is written to `err`.
#pragma once

#include <iosfwd>

#include "client-sim/options.hpp"

namespace fixkeep::client_sim {

// REQUIRES: options.own_mode is a PoolMode.
[[nodiscard]] int run_pools(const Options& options, std::ostream& out, std::ostream& err);

}  // namespace fixkeep::client_sim
