// A runner of containers needs this of a launch, and no other runner does.
//
// Thread rule: a value. Bounds: those of the configuration. Errors: none.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace fixkeep::worker {

enum class ContainerNetwork : std::uint8_t {
  bridge,  // one of the engine's, which hands on what comes to the room's ports
  host,    // the machine's own
};

struct ContainerOptions {
  std::string image;  // empty: the game runs in no container
  ContainerNetwork network = ContainerNetwork::bridge;
  // The game listens at these ports of its container, by the names of the room's ports ("port" is
  // the one that players are told). Others have the same number inside as outside.
  std::map<std::string, std::uint16_t> publish;
  bool read_only = false;  // its file system, but for its own folder and /tmp

  friend bool operator==(const ContainerOptions&, const ContainerOptions&) = default;
};

}  // namespace fixkeep::worker
