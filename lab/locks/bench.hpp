// Measures a lock strategy with real lock nodes on this machine.
//
// Thread rule: blocks the calling thread in a single-threaded process. Bounds: those of the
// options.
// Errors: LockFigures::failure; earlier measurements are kept.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "client-sim/cluster/lock_servers.hpp"
#include "lab/locks/figures.hpp"
#include "lab/locks/nodes.hpp"

namespace fixkeep::client_sim {

struct LocksBenchOptions {
  double seconds = 2;            // length of each contended measurement
  std::uint32_t count = 10'000;  // uncontended acquisitions in a round
  std::uint32_t keys = 100;      // keys in the measurement with many keys
  std::uint32_t in_flight = 8;   // with many keys: number of keys that each master wants or holds
  std::uint32_t hold_us = 0;
  std::uint32_t kills = 3;  // number of each fault: kill, freeze, cut off, kill a leader
  std::uint64_t seed = 1;
};

// Reports the present step.
using Note = std::function<void(const std::string&)>;

// Measures one round: uncontended, contended on one key, contended on many keys.
void measure_round(LockNodes& nodes, const LocksBenchOptions& options, std::uint32_t round,
                   const Note& note, LockFigures& figures);

// Kills holders, then freezes holders, one at a time. The masters take turns as the holder. If the
// nodes are relayed, only cuts off outgoing bytes of holders, one at a time.
void measure_ends(LockNodes& nodes, const LocksBenchOptions& options, const Note& note,
                  LockFigures& figures);

// Kills the coordinator or the leading server while the masters take turns. A server that is alone
// stays dead, so this is the last measurement. `servers`: those of the strategy, or null.
void measure_leaders(LockNodes& nodes, EngineServers* servers, const LocksBenchOptions& options,
                     const Note& note, LockFigures& figures);

}  // namespace fixkeep::client_sim
