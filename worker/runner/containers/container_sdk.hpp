// Chooses where a room's SDK listens if the room's container has its own network.
//
// The clients of Agones connect to "localhost". A container has its own loopback device. If the
// worker is allowed to enter the container's network, it opens the listening sockets there. A
// socket remains in the network in which it was made, even if a process in another network accepts
// from it. Thus localhost in the container is the room's SDK, at the ports of Agones. No other room
// reaches this SDK.
//
// The network exists as soon as the container runs. The game may connect a few milliseconds too
// early, as in a pod of Agones: the clients try again for half a minute. Two other methods do not
// work. A network that is made in advance would need a second container for each room, because an
// engine accepts only networks of its own containers. An engine cannot start a container in a
// waiting state.
//
// If the worker is not allowed to enter (it is not root or runs in a container itself), it listens
// at its own address in the bridge network. All containers of this bridge can connect to that
// address, so a token is needed. Thread rule: one owner. listen_inside() enters the network on a
// temporary thread: the caller's thread does not move. Bounds: waits only for one request to the
// engine. Fault model: the container has ended, and another process has its process number. Errors:
// system errors. Without an address in the bridge network, the SDK listens at the machine's
// loopback address.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/base/result.hpp"
#include "common/process/descriptor.hpp"
#include "worker/runner/containers/container.hpp"
#include "worker/runner/containers/dialect.hpp"
#include "worker/runner/game_runner.hpp"

namespace fixkeep::worker::containers {

class ContainerSdk {
 public:
  // Finds out whether this worker can listen in the containers' networks.
  void look(const EnginePlace& engine);

  [[nodiscard]] LocalRooms::SdkPlace place_for(const std::vector<PublishedPort>& published) const;

 private:
  bool may_enter_ = false;
  std::string bridge_address_;  // the worker's own address; empty: none
};

// Returns the ports of Agones for REST and gRPC. If the container publishes these ports, returns
// lower ports.
[[nodiscard]] std::vector<std::uint16_t> sdk_ports_beside(
    const std::vector<PublishedPort>& published);

// Listens at these ports on the loopback device of a running container.
[[nodiscard]] Result<std::vector<process::Descriptor>> listen_inside(
    const Container& container, const std::vector<std::uint16_t>& ports);

}  // namespace fixkeep::worker::containers
