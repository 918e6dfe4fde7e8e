// The listening sockets of one endpoint of a room: IPv4 and IPv6 on one loopback port, since
// "localhost", which the clients of Agones dial, may be either; or one socket at another address.
//
// They are opened apart from what accepts from them, so that another process can open and keep them
// while workers come and go.
// Thread rule: a value with one owner. Bounds: two sockets, their backlog, the bytes that the
// kernel keeps of each connection. Errors: there is no port left, or no descriptor.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/base/result.hpp"
#include "common/process/descriptor.hpp"

namespace fixkeep::worker {

inline constexpr auto loopback_name = "localhost";

struct Listeners {
  std::string host = loopback_name;  // as the game dials it: this, or an address of IPv4
  std::uint16_t port = 0;
  // They listen and do not block; one, where there is no IPv6. None, as long as the loopback device
  // at which they will listen is not there.
  std::vector<process::Descriptor> sockets;
};

inline constexpr std::size_t listeners_descriptors = 2;

// With a port: at that one, where a worker that is no more has listened before.
[[nodiscard]] Result<Listeners> open_listeners(std::uint16_t port = 0,
                                               const std::string& host = loopback_name);

// Sockets that open_listeners() opened in another life of the worker, by their ports, which come in
// the order of the sockets.
[[nodiscard]] std::vector<Listeners> by_port(std::vector<process::Descriptor> sockets);

}  // namespace fixkeep::worker
