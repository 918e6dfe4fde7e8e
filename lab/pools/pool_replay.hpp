// PoolReplay is what the rules alone would have done with the players of a live run. They arrive at
// the same moments of simulated time, in one pool that one planner sees. What a live run shows
// beyond it, masters, messages and the lock have cost.
//
// Thread rule: a pure function. Bounds: those of a replay. Errors: none.
#pragma once

#include <chrono>
#include <cstddef>
#include <vector>

#include "lab/pools/live_rules.hpp"

namespace fixkeep::client_sim {

struct PoolReplay {
  std::size_t seated = 0;  // requests
  std::size_t rooms = 0;
  std::vector<double> waits_ms;  // of those who got a seat, the boot of their room included
  std::vector<double> spreads;   // of rooms with several requests, as they started
};

[[nodiscard]] PoolReplay replay_load(const master::plan::Rules& rules, const PoolLoad& load,
                                     std::chrono::milliseconds boot);

}  // namespace fixkeep::client_sim
