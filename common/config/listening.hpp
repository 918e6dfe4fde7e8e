// Checks whether a program can listen where its configuration says. Finds the obstacle: another
// listening program or a connection that has the port by chance.
//
// The kernel gives outgoing connections local ports of `net.ipv4.ip_local_port_range`. Listening on
// a node's port fails while a connection has it.
// Thread rule: free functions. Bounds: one socket that is closed again at once; a look at the
// connections of this machine. Errors: in words.
#pragma once

#include <string>
#include <vector>

#include "common/config/document.hpp"

namespace fixkeep::config {

// Empty: it can be listened on at this moment. Else the reason: "Address already in use". Port 0:
// any.
[[nodiscard]] std::string why_not_listen(const std::string& address, std::uint16_t port);

// The other end ("10.0.0.5:443") of a connection with this local port. Empty: no connection has it
// or a program listens on it.
[[nodiscard]] std::string connection_with(std::uint16_t port);

// The kernel may give this port to connections: it is in ip_local_port_range and not among
// ip_local_reserved_ports.
[[nodiscard]] bool is_given_to_connections(std::uint16_t port);

// The keys of a node's configuration with a port that connections may get.
[[nodiscard]] std::vector<std::string> keys_of_ports_given_to_connections(const Json& root);

// A doubt for each of these.
void doubt_ports(const Document& document, Problems& doubts);

// Reports at `key` if it cannot be listened on.
void check_listening(const Document& document, const std::string& key, const std::string& address,
                     std::uint16_t port, Problems& problems);

}  // namespace fixkeep::config
