// The listening sockets of one endpoint of a room. They are IPv4 and IPv6 on one loopback port
// since the clients of Agones dial "localhost": it may be either. Or they are one socket at another
// address.
//
// They are opened apart from their acceptor: another process can keep them while workers come and
// go. Thread rule: a value with one owner. Bounds: two sockets, their backlog and the kernel's
// bytes of each connection. Errors: no port or no descriptor is left.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/base/result.hpp"
#include "common/process/descriptor.hpp"

namespace fixkeep::worker {

inline constexpr auto loopback_name = "localhost";

struct Listeners {
  std::string host = loopback_name;  // the game dials this: "localhost", or an IPv4 address
  std::uint16_t port = 0;
  // Listening non-blocking sockets. Only one if there is no IPv6. Empty while their loopback device
  // does not exist yet.
  std::vector<process::Descriptor> sockets;
};

inline constexpr std::size_t listeners_descriptors = 2;

// With a port: opens it. An earlier worker has listened there.
[[nodiscard]] Result<Listeners> open_listeners(std::uint16_t port = 0,
                                               const std::string& host = loopback_name);

// Groups sockets of open_listeners() from another life of the worker by their ports in the order of
// the sockets.
[[nodiscard]] std::vector<Listeners> by_port(std::vector<process::Descriptor> sockets);

}  // namespace fixkeep::worker
