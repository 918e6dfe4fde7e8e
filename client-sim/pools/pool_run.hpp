// A PoolRun is what a live run of a mode whose rules widen has shown: which players
// were seated together, and what the judge of pools found.
//
// Thread rule: values and a pure function. Errors: none; a bill is not there if events are missing.
#pragma once

#include <optional>
#include <vector>

#include "client-sim/judge/observation.hpp"
#include "client-sim/pools/live_rules.hpp"
#include "client-sim/pools/pool_replay.hpp"

namespace fixkeep::client_sim {

struct PoolRun {
  std::optional<PoolBill> bill;
  std::vector<double> spreads;  // of each room with several requests, in the unit of the number
  PoolReplay replay;            // of the same players
};

// The highest number of a room less the lowest one, by the answers that players got. The number is
// that of the first distance; without one, nothing is spread.
[[nodiscard]] std::vector<double> spreads_of(const std::vector<PlayerRecord>& players,
                                             const PoolLoad& load,
                                             const master::plan::Rules& rules);

}  // namespace fixkeep::client_sim
