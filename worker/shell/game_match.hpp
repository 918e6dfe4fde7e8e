// Tells a game who plays with whom in its room: the match of a service (common/wire/match.hpp), or
// the players that a mode's rules have chosen. The latter has no match id.
//
// A new room has its first players in `match.json`, and the match id in its environment. The
// annotations of the room's SDK have the present teams, also for a warm room and after players have
// joined or left. Thread rule: free functions. Bounds: wire::limits. Errors: none.
#pragma once

#include <map>
#include <string>

#include "common/wire/match.hpp"
#include "worker/runner/launch.hpp"

namespace fixkeep::worker {

inline constexpr const char* match_file = "match.json";  // below the room's folder

// A match without teams has one team with an empty name.
[[nodiscard]] std::map<std::string, std::string> annotations_of(const GroupKey& group,
                                                                const wire::MatchFacts& match);

// Adds the variable and the file. A file of the game's description with the same name stays.
void add_match(const GroupKey& group, const wire::MatchFacts& match, Launch& launch);

}  // namespace fixkeep::worker
