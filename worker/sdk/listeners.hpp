// The listening sockets of one endpoint of a room. On the loopback device there are two sockets at
// the same port, for IPv4 and for IPv6: Agones' clients dial "localhost", which may mean IPv4 or
// IPv6. At any other address there is one socket.
//
// The sockets are opened separately from their acceptor, so that another process can keep them open
// while the worker restarts. Thread rule: a value with one owner. Bounds: two sockets, their
// backlog, and the kernel's buffers for each connection. Errors: no port or no descriptor is left.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/base/result.hpp"
#include "common/process/descriptor.hpp"

namespace fixkeep::worker {

inline constexpr auto loopback_name = "localhost";

struct Listeners {
  std::string host = loopback_name;  // host that the game dials: "localhost" or an IPv4 address
  std::uint16_t port = 0;
  // Listening non-blocking sockets. Without IPv6, there is only one socket. While their loopback
  // device does not exist, there is no socket.
  std::vector<process::Descriptor> sockets;
};

inline constexpr std::size_t listeners_descriptors = 2;

// Opens the sockets. `port` is a port where an earlier worker listened; 0: any free port.
[[nodiscard]] Result<Listeners> open_listeners(std::uint16_t port = 0,
                                               const std::string& host = loopback_name);

// Groups sockets by their ports, in the order of the sockets. open_listeners() of an earlier run
// made the sockets.
[[nodiscard]] std::vector<Listeners> by_port(std::vector<process::Descriptor> sockets);

}  // namespace fixkeep::worker
