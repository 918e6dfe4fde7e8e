// Finds and names the teams that a mode's rules have made.
//
// Thread rule: free functions. Errors: see team_in().
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "master/core/directory/room.hpp"
#include "master/rules/plan/brings.hpp"

namespace fixkeep::master {

// Returns the player's team in the room. It does not depend on the mode's present rules, which may
// be newer than the seat. Null: the room's worker has not reported the player's text, or the text
// names no team.
[[nodiscard]] inline std::optional<std::uint32_t> team_in(const Room& room,
                                                          const PlayerId& player) {
  const auto at = room.brought.find(player);
  return at == room.brought.end() ? std::nullopt : plan::parse_team(at->second);
}

// Returns the name of a team for players and games: its number, counted from 1.
[[nodiscard]] inline std::string team_name(std::uint32_t team) {
  return std::to_string(team + 1);
}

}  // namespace fixkeep::master
