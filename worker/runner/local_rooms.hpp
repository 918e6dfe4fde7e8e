// A runner is capable of this if its games run on the worker's machine: they reach an SDK there,
// and have a folder there.
//
// Thread rule: that of the runner. Bounds: two sockets for each transport of the SDK. Errors: a
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
  // Where the SDK of a room listens.
  struct SdkPlace {
    std::string host = "localhost";  // an address of this machine, or this
    // Ports of a loopback device that the game has of its own, REST and gRPC (Launch::
    // listen_inside). Empty: the game dials the machine's, at any port.
    std::vector<std::uint16_t> inside = {};
  };

  virtual ~LocalRooms() = default;
  [[nodiscard]] virtual SdkPlace sdk_place(const ContainerOptions& /*container*/,
                                           const wire::RoomPlace& /*place*/) const {
    return {};
  }
  // Returns the sockets that the game of an earlier run was started with, or that listen in its own
  // network: none, if that is not there yet, since the game is still to be started. They are the
  // caller's from now on; nothing: there is no such game. REQUIRES: it is not adopted yet.
  [[nodiscard]] virtual std::optional<std::vector<process::Descriptor>> listeners_of(
      const std::string& name) = 0;
  // Returns the room's own folder; nothing is in it before the game starts.
  [[nodiscard]] virtual std::string folder_of(const std::string& name) const = 0;
};

}  // namespace fixkeep::worker
