// The listening sockets of one endpoint of a room: IPv4 and IPv6 on one loopback port, since
// "localhost", which the clients of Agones dial, may be either.
//
// They are opened apart from what accepts from them, so that another process can open and keep them
// while workers come and go.
// Thread rule: a value with one owner. Bounds: two sockets, their backlog, the bytes that the
// kernel keeps of each connection. Errors: there is no port left, or no descriptor.
#pragma once

#include <cstdint>
#include <vector>

#include "common/base/result.hpp"
#include "common/process/descriptor.hpp"

namespace fixkeep::worker {

struct Listeners {
  std::uint16_t port = 0;
  std::vector<process::Descriptor>
      sockets;  // they listen and do not block; one, where there is no IPv6
};

inline constexpr std::size_t listeners_descriptors = 2;

// With a port: at that one, where a worker that is no more has listened before.
[[nodiscard]] Result<Listeners> open_listeners(std::uint16_t port = 0);

// Sockets that open_listeners() opened in another life of the worker, by their ports, which come in
// the order of the sockets.
[[nodiscard]] std::vector<Listeners> by_port(std::vector<process::Descriptor> sockets);

}  // namespace fixkeep::worker
