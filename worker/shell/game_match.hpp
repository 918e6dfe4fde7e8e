// Tells a game the players and teams of its room: the match of a service (common/wire/match.hpp),
// or the players that a mode's rules have chosen. In the second case there is no match id.
//
// A new room finds its first players in `match.json`, and the match id in its environment. The
// annotations of the room's SDK contain the present teams, also in a warm room and after players
// have joined or left. Thread rule: free functions. Bounds: wire::limits. Errors: none.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "common/base/ids.hpp"
#include "common/wire/match.hpp"
#include "worker/runner/launch.hpp"

namespace fixkeep::worker {

inline constexpr const char* match_file = "match.json";  // below the room's folder

enum class MatchData : std::uint8_t {
  fixkeep,
  flexmatch,  // also matchmaker_data()
};

// A match without teams has one team with an empty name.
[[nodiscard]] std::map<std::string, std::string> annotations_of(const GroupKey& group,
                                                                const wire::MatchFacts& match);

// Returns the teams as Amazon GameLift tells them to its games (GameSession.MatchmakerData), as
// JSON. A match without an id gets the name of its room. An attribute that FlexMatch does not have,
// such as a nested object, is a STRING with its JSON.
[[nodiscard]] std::string matchmaker_data(const GroupKey& group, const wire::MatchFacts& match,
                                          const RoomId& room, const ModeName& mode);

// Adds the variable and the file. If the game's description has a file with the same name, that
// file is not replaced.
void add_match(const GroupKey& group, const wire::MatchFacts& match, Launch& launch);

}  // namespace fixkeep::worker
