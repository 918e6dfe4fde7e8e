// The part of a session that the next worker restores: all statements of the game about itself, and
// the state that results from them.
//
// Thread rule: a value and free functions. Bounds: see the members of GameServer; enforced on
// reading. Errors: malformed bytes give nullopt.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/ids.hpp"
#include "worker/sdk/game_server.hpp"

namespace fixkeep::worker {

struct SessionMemory {
  GameState state = GameState::scheduled;
  bool takes_players = false;
  bool is_given = false;  // the room has a group, but its game is not Allocated yet
  std::uint64_t resource_version = 1;
  WallTime created{};
  WallTime deleted{};
  std::optional<WallTime> reserved_until;
  Metadata::Map labels;
  Metadata::Map annotations;
  Counters::Map counters;
  Lists::Map lists;
  std::int64_t player_capacity = 0;
  std::vector<PlayerId> players;  // players in the game

  friend bool operator==(const SessionMemory&, const SessionMemory&) = default;
};

[[nodiscard]] std::string to_bytes(const SessionMemory& memory);
[[nodiscard]] std::optional<SessionMemory> to_session_memory(std::string_view bytes);

}  // namespace fixkeep::worker
