// The command line and the environment of a game process.
// Thread rule: free functions. Bounds: those of the configuration. Errors: none.
#pragma once

#include <map>
#include <string>

#include "worker/backend/backend.hpp"
#include "worker/core/events.hpp"
#include "worker/shell/settings.hpp"

namespace fixkeep::worker {

struct GamePlace {
  RoomId room;
  std::string seat_key;                    // auth::to_text(auth::derive_room_key())
  std::map<std::string, std::string> sdk;  // variables_of() the ways to the room's SDK
};

// Fills in {port}, {room}, {group}, {mode} and {capacity}; what else stands in braces stays.
[[nodiscard]] std::string fill_in(const std::string& argument, const StartProcess& order,
                                  const RoomId& room);

// The environment is what the configuration gives, PATH, and the FIXKEEP_ and AGONES_ variables:
// nothing else of the worker's own environment, which may hold the cluster secret.
[[nodiscard]] Launch launch_of(const GameCommand& command, const StartProcess& order,
                               const GamePlace& place);

}  // namespace fixkeep::worker
