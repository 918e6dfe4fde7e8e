// What the shell keeps of one game process: its SDK endpoint and when it last said that it is well.
// Thread rule: a value of the shell's thread.
#pragma once

#include <chrono>
#include <memory>
#include <optional>

#include "worker/sdk/rest/room_sdk.hpp"

namespace fixkeep::worker {

// These are Agones' defaults: a period of 5 s, unhealthy after 3 of them without a sign of life.
// Only a game that has given one is held to it; a game that does not know the call is left alone.
inline constexpr std::chrono::seconds health_period{5};
inline constexpr std::chrono::seconds health_limit{15};

struct Game {
  std::unique_ptr<RoomSdk> sdk;
  std::optional<std::chrono::steady_clock::time_point> last_health;
};

}  // namespace fixkeep::worker
