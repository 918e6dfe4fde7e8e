// Makes the command line, files and environment of a game process.
//
// Invariant: if why_not_told() gives a reason, no attribute of the group enters a game's text.
// Thread rule: free functions. Bounds: set by the configuration. Errors: as text.
#pragma once

#include <map>
#include <string>

#include "worker/core/events.hpp"
#include "worker/runner/launch.hpp"
#include "worker/shell/game_description.hpp"

namespace fixkeep::worker {

struct GamePlace {
  RoomId room;
  std::string zone;
  std::string address;                     // the host for players
  wire::RoomPlace at;                      // the room's ports; the host is `address`
  std::string folder;                      // the room's own folder; empty: not on this machine
  std::string seat_key;                    // auth::to_text(auth::derive_room_key())
  std::map<std::string, std::string> sdk;  // variables_of() the room's SDK, and the SDK's token
};

// Returns why the players' input in this group's key must not reach the game: "map: is none of its
// values". Empty: there is no reason. Attributes that the game's texts do not use are ignored.
[[nodiscard]] std::string why_not_told(const GameDescription& game, const GroupKey& group);

// Values of placeholders: "port", "port:query", "group:region" …
using Values = std::map<std::string, std::string, std::less<>>;
[[nodiscard]] Values values_of(const GameDescription& game, const StartProcess& order,
                               const GamePlace& place);

// Fills in the known values. A missing attribute becomes empty. Other text in braces is not
// changed.
[[nodiscard]] std::string fill_in(const std::string& text, const Values& values);

// Returns the launch with all texts filled in. Its environment consists of the configured
// variables, HOME, PATH, the FIXKEEP_ and AGONES_ variables, and TRACEPARENT if the order's cause
// is part of a trace. The launch gets nothing else from the worker's own environment, where the
// cluster secret may be.
[[nodiscard]] Launch launch_of(const GameDescription& game, const StartProcess& order,
                               const GamePlace& place);

}  // namespace fixkeep::worker
