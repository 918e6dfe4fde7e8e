// Checks whether a program can listen at its configured addresses. If not, finds the cause: another
// program listens there, or a connection uses the port by chance.
//
// The kernel gives outgoing connections local ports from `net.ipv4.ip_local_port_range`. A node
// cannot listen on a port while such a connection uses it.
// Thread rule: free functions. Bounds: one socket, closed again immediately; one scan of this
// machine's connections. Errors: texts with the reason.
#pragma once

#include <string>
#include <vector>

#include "common/config/address.hpp"
#include "common/config/document.hpp"

namespace fixkeep::config {

// Returns an empty text if a program can listen at the address and port now. Otherwise returns the
// reason, for example "Address already in use". Port 0 means any port.
[[nodiscard]] std::string why_not_listen(const std::string& address, std::uint16_t port);

// Returns the other end ("10.0.0.5:443") of a connection with this local port. Empty if no
// connection has this port or if a program listens on this port.
[[nodiscard]] std::string connection_with(std::uint16_t port);

// True if the kernel may give this port to connections: ip_local_port_range contains the port and
// ip_local_reserved_ports does not.
[[nodiscard]] bool is_given_to_connections(std::uint16_t port);

// The keys of a node's configuration whose ports the kernel may give to connections.
[[nodiscard]] std::vector<std::string> keys_of_ports_given_to_connections(const Json& root);

// Adds a warning to `doubts` for each key whose port the kernel may give to connections.
void doubt_ports(const Document& document, Problems& doubts);

// Reports a problem at `key` if a program cannot listen at `address` and `port`. If another program
// listens there, adds a warning to `doubts` instead: this program may be the running node itself.
void check_listening(const Document& document, const std::string& key, const Address& at,
                     Problems& problems, Problems& doubts);

}  // namespace fixkeep::config
