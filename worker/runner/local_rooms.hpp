// LocalRooms is an interface of runners whose games run on the worker's machine. On this machine,
// the games reach an SDK and have a folder.
//
// Thread rule: that of the runner. Bounds: two sockets for each transport of the SDK. Errors: a
// game that cannot be examined has no sockets.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/process/descriptor.hpp"
#include "common/wire/room_place.hpp"
#include "worker/runner/container_options.hpp"

namespace fixkeep::worker {

class LocalRooms {
 public:
  // The place where a room's SDK listens.
  struct SdkPlace {
    std::string host = "localhost";  // an address of this machine, or "localhost"
    // Ports for REST and gRPC on the game's own loopback device (Launch::listen_inside). Empty: the
    // SDK listens at `host` instead, at any free ports.
    std::vector<std::uint16_t> inside = {};
  };

  virtual ~LocalRooms() = default;
  [[nodiscard]] virtual SdkPlace sdk_place(const ContainerOptions& /*container*/,
                                           const wire::RoomPlace& /*place*/) const {
    return {};
  }
  // Returns the SDK's sockets for a game from an earlier run: the old sockets, or new sockets at
  // the same ports. Empty: they are opened when the game runs. The caller owns them. Nullopt: no
  // such game, or an error. REQUIRES: the game is not adopted yet.
  [[nodiscard]] virtual std::optional<std::vector<process::Descriptor>> listeners_of(
      const std::string& name) = 0;
  // Returns the path of the room's own folder. The folder may be missing before the game starts.
  [[nodiscard]] virtual std::string folder_of(const std::string& name) const = 0;
};

}  // namespace fixkeep::worker
