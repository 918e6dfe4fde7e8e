// The part of a launch that only a runner of containers needs.
//
// Thread rule: a value. Bounds: those of the configuration. Errors: none.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace fixkeep::worker {

enum class ContainerNetwork : std::uint8_t {
  bridge,  // a network of the engine, which forwards the room's ports
  host,    // the machine's own network
};

struct ContainerOptions {
  std::string image;  // empty: the game runs in no container
  ContainerNetwork network = ContainerNetwork::bridge;
  // The ports at which the game listens in its container, by the names of the room's ports. "port"
  // is the port for players. Ports that are not listed here have the same number inside and
  // outside.
  std::map<std::string, std::uint16_t> publish;
  bool read_only = false;  // the whole file system except the game's own folder and /tmp

  friend bool operator==(const ContainerOptions&, const ContainerOptions&) = default;
};

}  // namespace fixkeep::worker
