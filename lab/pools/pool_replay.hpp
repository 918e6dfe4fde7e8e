// PoolReplay shows the result of the rules alone for the players of a live run. The players arrive
// at the same times (in simulated time), in one pool with one planner. The difference to the live
// run is the cost of masters, messages and the lock.
//
// Thread rule: a pure function. Bounds: see replay.hpp. Errors: none.
#pragma once

#include <chrono>
#include <cstddef>
#include <vector>

#include "lab/pools/live_rules.hpp"

namespace fixkeep::client_sim {

struct PoolReplay {
  std::size_t seated = 0;  // requests that got a seat
  std::size_t rooms = 0;
  std::vector<double> waits_ms;  // waits of seated players, with the boot of the room
  std::vector<double> spreads;   // spread of each room with several requests, at the room's start
};

[[nodiscard]] PoolReplay replay_load(const master::plan::Rules& rules, const PoolLoad& load,
                                     std::chrono::milliseconds boot);

}  // namespace fixkeep::client_sim
