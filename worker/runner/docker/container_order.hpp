// Turns a launch into an order for an engine.
//
// Thread rule: free functions. Bounds: see the launch. Errors: none.
#pragma once

#include <string>
#include <string_view>

#include "worker/runner/docker/container.hpp"
#include "worker/runner/launch.hpp"

namespace fixkeep::worker::docker {

struct Owner {
  std::string cluster;
  std::string worker;
};

// `told_address`: the machine's address that players are told. Ports are published at all addresses
// of the machine since that one may be a name or an address in front of it. If players are told the
// loopback then ports are published only there.
[[nodiscard]] ContainerOrder container_order(const Launch& launch, const Owner& owner,
                                             std::uint32_t log_bytes,
                                             std::string_view told_address);
// A room's ports with the container ports that they lead to; empty on the machine's own network.
[[nodiscard]] std::vector<PublishedPort> published_ports(const ContainerOptions& container,
                                                         const wire::RoomPlace& place);

}  // namespace fixkeep::worker::docker
