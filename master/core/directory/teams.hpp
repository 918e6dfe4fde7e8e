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

// Returns the player's team in the room. Null: the room's worker has not reported the player's
// text, or the rules cannot read this text.
[[nodiscard]] inline std::optional<std::uint32_t> team_in(const Room& room, const PlayerId& player,
                                                          const plan::Rules& rules) {
  const auto at = room.brought.find(player);
  const auto brings =
      at == room.brought.end() ? std::nullopt : plan::parse_brings(at->second, rules);
  return brings ? std::optional{brings->team} : std::nullopt;
}

// Returns the name of a team for players and games: its number, counted from 1.
[[nodiscard]] inline std::string team_name(std::uint32_t team) {
  return std::to_string(team + 1);
}

}  // namespace fixkeep::master
