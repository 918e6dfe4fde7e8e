// fixkeep-client-sim engines: lock servers on loopback until Ctrl-C, to try a strategy of a server
// without installing one as a service.
//
// Thread rule: from the main thread of a single-threaded process; blocks until done.
// Errors: an exit code, see options.hpp; what went wrong is written to `err`.
#pragma once

#include <iosfwd>

#include "client-sim/options.hpp"

namespace fixkeep::client_sim {

[[nodiscard]] int run_engines(const Options& options, std::ostream& out, std::ostream& err);

}  // namespace fixkeep::client_sim
