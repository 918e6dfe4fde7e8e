// Checks whether players can reach a room at worker.address and rooms.ports.
//
// A value that no player can ever use is a problem: an address to listen on, an address with a port
// or in brackets, a text that is not a host. A value that may be intended is a doubt: an address
// that works only on this machine or network, or fewer ports than rooms.
//
// Thread rule: free functions; no name is looked up. Bounds: linear in the text. Errors:
// config::Problems. Keys with a problem in `problems` are skipped.
#pragma once

#include <string>

#include "common/config/loader.hpp"

namespace fixkeep::worker {

// Returns why players cannot use the text as a host, and a better text. Empty: players can use it.
[[nodiscard]] std::string why_no_player_comes(const std::string& address);

void check_player_address(const config::Document& document, config::Problems& problems,
                          config::Problems& doubts);
// Returns whether every machine uses this host for itself, for example localhost or 127.0.0.1.
[[nodiscard]] bool is_of_this_machine(const std::string& host);
void check_ports_of_rooms(const config::Document& document, const config::Problems& problems,
                          config::Problems& doubts);

}  // namespace fixkeep::worker
