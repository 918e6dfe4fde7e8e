// A launch is put into the words of an engine here.
//
// Thread rule: free functions. Bounds: those of the launch. Errors: none.
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

// `told_address`: of the machine, as players are told it. Ports are published at all addresses of
// the machine, since that one may be a name or an address before it; at the loopback alone if
// players are told that.
[[nodiscard]] ContainerOrder container_order(const Launch& launch, const Owner& owner,
                                             std::uint32_t log_bytes,
                                             std::string_view told_address);
// A room's ports, and those of its container that they lead to; none on the machine's own network.
[[nodiscard]] std::vector<PublishedPort> published_ports(const ContainerOptions& container,
                                                         const wire::RoomPlace& place);

}  // namespace fixkeep::worker::docker
