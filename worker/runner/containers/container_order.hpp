// Converts a launch into an order for an engine.
//
// Thread rule: free functions. Bounds: those of the launch. Errors: none.
#pragma once

#include <string>
#include <string_view>

#include "worker/runner/containers/container.hpp"
#include "worker/runner/launch.hpp"

namespace fixkeep::worker::containers {

struct Owner {
  std::string cluster;
  std::string worker;
};

// `told_address` is the address that players receive. It may be a name, or an address in front of
// the machine. Ports are therefore published at all addresses of the machine. If players receive
// the loopback address, ports are published only at this address.
[[nodiscard]] ContainerOrder container_order(const Launch& launch, const Owner& owner,
                                             std::uint32_t log_bytes,
                                             std::string_view told_address);
// Returns a room's ports and the container ports behind them. Empty on the machine's own network.
[[nodiscard]] std::vector<PublishedPort> published_ports(const ContainerOptions& container,
                                                         const wire::RoomPlace& place);

}  // namespace fixkeep::worker::containers
