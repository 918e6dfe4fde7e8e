// Which sockets there are, as the kernel tells through netlink (sock_diag), which `ss` uses too.
//
// Rather than /proc/net/{tcp,udp}: those are texts of all sockets, made anew for each reader, and
// the kernel walks its whole table for them. Reading /proc/net/tcp took 5 ms on an idle machine and
// 30 ms with 6 400 connections and 200 listeners; there the question for all listeners took 0.2 ms,
// and that for one connection, which is a look into the kernel's table, 0.02 ms.
// Fault model: a kernel without sock_diag (gVisor) answers every question with an error.
// Thread rule: free functions, which do not wait. Bounds: most_sockets an answer.
// Errors: those of the system.
#pragma once

#include <boost/asio/ip/address.hpp>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "common/base/result.hpp"
#include "worker/probe/core/probe_options.hpp"

namespace fixkeep::probe {

inline constexpr std::size_t most_sockets = 65536;

// The number is what /proc/PID/fd calls a socket as well; 0: no process has it, or has it yet.
using SocketNumber = std::uint64_t;

struct Endpoint {
  boost::asio::ip::address address;
  std::uint16_t port = 0;
};

struct BoundSocket {
  Endpoint local;
  bool only_v6 = false;  // of an IPv6 socket: takes nothing that comes over IPv4
  SocketNumber number = 0;
};

// Lists the sockets that answer anybody: TCP sockets that listen, UDP sockets that are not
// connected. Of one port, or of all: 0.
[[nodiscard]] Result<std::vector<BoundSocket>> bound_sockets(Protocol protocol, std::uint16_t port);

struct Connection {
  Endpoint local;
  Endpoint remote;
};

// TCP connections to this port of the machine that its side has not given up. Of one that came over
// IPv4 to a socket for both families the addresses are those of IPv4.
[[nodiscard]] Result<std::vector<Connection>> connections_to(std::uint16_t port);

// The socket of an established TCP connection at its side `local`; 0: none, or not accepted yet.
[[nodiscard]] Result<SocketNumber> connected_socket(const Endpoint& local, const Endpoint& remote);

}  // namespace fixkeep::probe
