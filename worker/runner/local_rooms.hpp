// LocalRooms is for runners with games on the worker's machine: they reach an SDK and have a folder
// there.
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
    // Ports of the game's own loopback device for REST and gRPC (Launch::listen_inside). Empty: the
    // game dials the machine's at any port.
    std::vector<std::uint16_t> inside = {};
  };

  virtual ~LocalRooms() = default;
  [[nodiscard]] virtual SdkPlace sdk_place(const ContainerOptions& /*container*/,
                                           const wire::RoomPlace& /*place*/) const {
    return {};
  }
  // Returns the sockets of an earlier run's game or those that listen in its own network. Empty if
  // that does not exist yet: the game is still to start. The caller owns them from now on. Nullopt:
  // no game. REQUIRES: it is not adopted yet.
  [[nodiscard]] virtual std::optional<std::vector<process::Descriptor>> listeners_of(
      const std::string& name) = 0;
  // Returns the room's own folder. Empty before the game starts.
  [[nodiscard]] virtual std::string folder_of(const std::string& name) const = 0;
};

}  // namespace fixkeep::worker
