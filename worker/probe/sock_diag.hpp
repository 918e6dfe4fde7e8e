// Queries the kernel for the machine's sockets through netlink (sock_diag), as `ss` does.
//
// The alternative /proc/net/{tcp,udp} is a text of all sockets. For each reader, the kernel walks
// its whole table and writes this text anew. Reading /proc/net/tcp took 5 ms on an idle machine,
// and 30 ms with 6 400 connections and 200 listeners. With the same connections and listeners, a
// query for all listeners took 0.2 ms. A query for one connection is a lookup in the kernel's table
// and took 0.02 ms.
// Fault model: a kernel without sock_diag (gVisor) answers every query with an error.
// Thread rule: free functions that do not wait. Bounds: most_sockets an answer. Errors: system
// errors.
#pragma once

#include <boost/asio/ip/address.hpp>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "common/base/result.hpp"
#include "worker/probe/core/probe_options.hpp"

namespace fixkeep::probe {

inline constexpr std::size_t most_sockets = 65536;

// The socket's number in /proc/PID/fd. 0: no process has the socket, or no process has it yet.
using SocketNumber = std::uint64_t;

struct Endpoint {
  boost::asio::ip::address address;
  std::uint16_t port = 0;
};

struct BoundSocket {
  Endpoint local;
  bool only_v6 = false;  // an IPv6 socket that does not accept IPv4
  SocketNumber number = 0;
};

// Lists the sockets that answer any client: listening TCP and unconnected UDP sockets. `port` 0
// means all ports.
[[nodiscard]] Result<std::vector<BoundSocket>> bound_sockets(Protocol protocol, std::uint16_t port);

struct Connection {
  Endpoint local;
  Endpoint remote;
};

// Returns the TCP connections to this port of the machine. Leaves out connections that the
// listening process has closed. For a dual-stack socket, a connection over IPv4 has IPv4 addresses.
[[nodiscard]] Result<std::vector<Connection>> connections_to(std::uint16_t port);

// Returns the number of the socket that an established TCP connection has at its side `local`. 0:
// the connection does not exist, or was not accepted yet.
[[nodiscard]] Result<SocketNumber> connected_socket(const Endpoint& local, const Endpoint& remote);

}  // namespace fixkeep::probe
