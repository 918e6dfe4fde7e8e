// One room as the Agones SDK shows it to its game: the object GameServer, free of any form.
//
// Thread rule: a value with one owner, the session. Bounds: those of its parts. Errors: none.
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

// These do not change as long as the room lives, or are what its lists, counters and labels begin
// with.
struct SessionFacts {
  std::string room;     // to_string(RoomId)
  std::string address;  // what players are told
  std::uint16_t port = 0;
  std::uint32_t capacity = 0;  // players
  std::string group;           // empty while the room is warm
  std::string mode;
  std::chrono::seconds health_period{5};         // how often a game is to say that it is well
  std::uint32_t health_failures = 3;             // so many periods of silence end it
  std::chrono::seconds health_initial_delay{5};  // before the first sign of life is expected
  std::string token;          // that a client may show; empty: whatever it shows is right
  bool token_needed = false;  // a client that shows none is refused
  WallTime created{};
  Metadata::Map labels;  // beside those of the worker
  std::map<std::string, CounterFacts> counters;
  std::map<std::string, ListFacts> lists;
};

enum class GameState : std::uint8_t { scheduled, ready, reserved, allocated, shutdown, unhealthy };

[[nodiscard]] std::string_view to_string(GameState state);  // as Agones calls it

struct GameServer {
  explicit GameServer(SessionFacts given_facts);

  SessionFacts facts;
  GameState state = GameState::scheduled;
  std::uint64_t resource_version = 1;  // grows with each change
  WallTime deleted{};                  // when its end was asked for; 1970: not yet
  Metadata metadata;
  Counters counters;
  Lists lists;
  PlayerTracking players;
};

}  // namespace fixkeep::worker
