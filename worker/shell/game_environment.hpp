// Makes the command line, files and environment of a game process.
//
// Invariant: no order of a master brings an attribute that why_not_told() refuses into a text.
// Thread rule: free functions. Bounds: set by the configuration. Errors: in words.
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
  std::string address;                     // told to players
  wire::RoomPlace at;                      // its ports; the host is above
  std::string folder;                      // the room's own; empty: not on this machine
  std::string seat_key;                    // auth::to_text(auth::derive_room_key())
  std::map<std::string, std::string> sdk;  // variables_of() the room's SDK, and its token
};

// Why the players' input in this group must not reach the game: "map: is none of its values".
// Empty: it may. Attributes that the game's texts do not use do not matter.
[[nodiscard]] std::string why_not_told(const GameDescription& game, const GroupKey& group);

// Values of placeholders: "port", "port:query", "group:region" …
using Values = std::map<std::string, std::string, std::less<>>;
[[nodiscard]] Values values_of(const GameDescription& game, const StartProcess& order,
                               const GamePlace& place);

// Fills in the known values; an attribute that the group lacks is empty. Other text in braces
// stays.
[[nodiscard]] std::string fill_in(const std::string& text, const Values& values);

// The environment is the configured one, HOME, PATH, the FIXKEEP_ and AGONES_ variables, and
// TRACEPARENT if the order's cause is part of a trace. Nothing else of the worker's own environment
// is in it: the cluster secret may be there.
[[nodiscard]] Launch launch_of(const GameDescription& game, const StartProcess& order,
                               const GamePlace& place);

}  // namespace fixkeep::worker
