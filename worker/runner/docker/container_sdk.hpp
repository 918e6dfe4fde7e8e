// The place where a room's SDK listens if its container has a network of its own.
//
// The clients of Agones dial "localhost". In a container that is a loopback device of its own. A
// worker that may enter the container's network opens the listening sockets there: a socket stays
// in the network in which it was made, for every process that accepts from it. Localhost in the
// container thus is the room's SDK at the ports of Agones. No other room reaches it.
//
// The network exists once the container runs. Its game may dial a few milliseconds too early as in
// a pod of Agones: the clients try again for half a minute. A network made beforehand would need a
// second container for each room: an engine takes only networks of its containers. A container
// cannot be started so that it waits.
//
// A worker that may not enter (it is not root, or is in a container itself) listens at its address
// in the bridge's network. All containers of that bridge may dial it, so a token is needed. Thread
// rule: one owner. listen() enters on a thread of its own that ends with the call: the caller stays
// where it is. Bounds: one question to the engine; no other waits. Fault model: the container has
// ended meanwhile and another process has its number. Errors: system errors. Without an address in
// the bridge's network, the place is the machine's loopback.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/base/result.hpp"
#include "common/process/descriptor.hpp"
#include "worker/runner/docker/container.hpp"
#include "worker/runner/game_runner.hpp"

namespace fixkeep::worker::docker {

class ContainerSdk {
 public:
  // Finds out which of the two this worker may do.
  void look(const std::string& engine_socket);

  [[nodiscard]] LocalRooms::SdkPlace place_for(const std::vector<PublishedPort>& published) const;

 private:
  bool may_enter_ = false;
  std::string bridge_address_;  // the worker's; empty: it has no such address
};

// Returns Agones' own ports for REST and gRPC or lower ones if those are published.
[[nodiscard]] std::vector<std::uint16_t> sdk_ports_beside(
    const std::vector<PublishedPort>& published);

// Listens at these ports of a running container's loopback device.
[[nodiscard]] Result<std::vector<process::Descriptor>> listen_inside(
    const Container& container, const std::vector<std::uint16_t>& ports);

}  // namespace fixkeep::worker::docker
