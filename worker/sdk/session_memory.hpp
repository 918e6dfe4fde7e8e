// A session must find this again when its worker has ended and a new one goes on with the room's
// game: all that the game has said of itself, and what has come of it.
//
// Thread rule: a value, and free functions. Bounds: those of the parts of GameServer; what is read
// is brought within them. Errors: bytes that are no memory of ours are none.
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
  bool is_given = false;  // to a group, which the game's state does not tell it yet
  std::uint64_t resource_version = 1;
  WallTime created{};
  WallTime deleted{};
  std::optional<WallTime> reserved_until;
  Metadata::Map labels;
  Metadata::Map annotations;
  Counters::Map counters;
  Lists::Map lists;
  std::int64_t player_capacity = 0;
  std::vector<PlayerId> players;  // that are in

  friend bool operator==(const SessionMemory&, const SessionMemory&) = default;
};

[[nodiscard]] std::string to_bytes(const SessionMemory& memory);
[[nodiscard]] std::optional<SessionMemory> to_session_memory(std::string_view bytes);

}  // namespace fixkeep::worker
