// LocalRooms is for runners whose games are on the worker's machine, where they reach an SDK and
// have a folder.
//
// Thread rule: the runner's. Bounds: two sockets for each transport of the SDK. Errors: a
// game that cannot be looked at has no sockets.
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
    // Ports of the game's own loopback device, REST and gRPC (Launch::listen_inside). Empty: the
    // game dials the machine's, at any port.
    std::vector<std::uint16_t> inside = {};
  };

  virtual ~LocalRooms() = default;
  [[nodiscard]] virtual SdkPlace sdk_place(const ContainerOptions& /*container*/,
                                           const wire::RoomPlace& /*place*/) const {
    return {};
  }
  // Returns the sockets of an earlier run's game, or those that listen in its own network; empty if
  // that does not exist yet, since the game is still to start. The caller owns them from now on.
  // Nullopt: no such game. REQUIRES: it is not adopted yet.
  [[nodiscard]] virtual std::optional<std::vector<process::Descriptor>> listeners_of(
      const std::string& name) = 0;
  // Returns the room's own folder, empty before the game starts.
  [[nodiscard]] virtual std::string folder_of(const std::string& name) const = 0;
};

}  // namespace fixkeep::worker
