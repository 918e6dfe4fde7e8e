// The commands are what client-sim does when it is asked to: compare, load, up, race, engines,
// locks.
//
// Thread rule: from the main thread of a single-threaded process; blocks until done.
// Errors: an exit code, see options.hpp; what went wrong is written to `err`.
#pragma once

#include <iosfwd>

#include "client-sim/options.hpp"

namespace fixkeep::client_sim {

[[nodiscard]] int run_command(const Options& options, std::ostream& out, std::ostream& err);

}  // namespace fixkeep::client_sim
