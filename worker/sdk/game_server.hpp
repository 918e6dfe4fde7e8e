// GameServer is a room as the Agones SDK shows it to the game, independent of a transport.
//
// Thread rule: a value with one owner, the session. Bounds: see its members. Errors: none.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "worker/sdk/counters.hpp"
#include "worker/sdk/lists.hpp"
#include "worker/sdk/metadata.hpp"
#include "worker/sdk/player_tracking.hpp"

namespace fixkeep::worker {

using WallTime = std::chrono::sys_seconds;

// Facts that do not change while the room lives, and the initial content of its lists, counters and
// labels.
struct SessionFacts {
  std::string room;     // to_string(RoomId)
  std::string address;  // host for players
  std::uint16_t port = 0;
  std::uint32_t capacity = 0;  // number of players
  std::string group;           // empty while the room is warm
  std::string mode;
  std::chrono::seconds health_period{5};         // interval of signs of life
  std::uint32_t health_failures = 3;             // periods of silence until the game is unhealthy
  std::chrono::seconds health_initial_delay{5};  // time until the first sign of life is expected
  std::string token;                             // token for clients; empty: any token is accepted
  bool token_needed = false;                     // a client without a token is refused
  WallTime created{};
  Metadata::Map labels;  // labels in addition to the worker's own
  std::map<std::string, CounterFacts> counters;
  std::map<std::string, ListFacts> lists;
};

enum class GameState : std::uint8_t { scheduled, ready, reserved, allocated, shutdown, unhealthy };

[[nodiscard]] std::string_view to_string(GameState state);  // Agones' name of the state

struct GameServer {
  explicit GameServer(SessionFacts given_facts);

  SessionFacts facts;
  GameState state = GameState::scheduled;
  std::uint64_t resource_version = 1;  // grows with each change
  WallTime deleted{};                  // time of the request to end; 1970: none yet
  Metadata metadata;
  Counters counters;
  Lists lists;
  PlayerTracking players;
};

}  // namespace fixkeep::worker
