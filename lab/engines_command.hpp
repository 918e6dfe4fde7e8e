// `fixkeep-lab engines` runs lock servers on loopback until Ctrl-C. You can thus try a strategy
// that needs a server, without installing the server as a service.
//
// Thread rule: call from the main thread of a single-threaded process; blocks until done.
// Errors: an exit code (see client-sim/options.hpp); the reason is written to `err`.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

namespace fixkeep::client_sim {

[[nodiscard]] int run_engines(const std::vector<std::string>& strategies, std::ostream& out,
                              std::ostream& err);

}  // namespace fixkeep::client_sim
