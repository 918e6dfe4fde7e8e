// Judges masters' decisions for pools with widening limits (docs/matching.md). Inputs: the events
// of all nodes and the players' numbers. The judge shares no code with the planner; it reads only
// the numbers in the rules.
//
//   J1  The players of an order are within the limits at the time of the order. Players who join a
//       room are within the limits at the time of the join. An order has enough players for its
//       room to start.
//   J2  No order was sent while an open or starting room had place for one of its claims.
//   J3  No two orders of one decision could have been one room.
//   J4  No player has seats in two rooms of a pool.
//
// The judge counts only faults that are certain. In J2, a room is a starting room as soon as it was
// ordered. J2 looks only at rooms whose worker answered the fence of the ordering master, and in
// which no seat became free after the start of this fence. Seats filled by the same decision count
// as taken. A working lock prevents all faults. If the workers refuse orders with an outdated
// fence, there are no such faults even without a lock.
//
// J1 uses the longest possible wait of a player. J2 and J3 use the shortest possible wait
// (PoolTolerance). team_judge.hpp judges teams. Latencies, roles and players to avoid are not
// judged. If rules use any of these or teams, J2 and J3 are not judged: the judge cannot know which
// players could have joined. The judge assumes that every node's events are complete and ordered by
// time. Thread rule: a pure function. Bounds: an order is compared with each existing room of its
// pool and with the orders of its decision; `words_most` faults are described in words.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "client-sim/load/observation.hpp"
#include "common/base/ids.hpp"
#include "common/events/event.hpp"
#include "lab/pools/pool_waits.hpp"
#include "master/rules/plan/rules.hpp"

namespace fixkeep::client_sim {

using Numbers = std::array<std::int64_t, master::plan::numbers_most>;
// The numbers of every player (every member of a party), in the order of the rules.
using Brought = std::map<PlayerId, Numbers>;

struct PoolBill {
  static constexpr std::size_t words_most = 40;

  std::uint64_t decisions = 0;  // decisions that seated a player
  std::uint64_t fills = 0;      // claims assigned to a room
  std::uint64_t orders = 0;     // orders that made a room
  std::uint64_t refused = 0;    // orders without a room
  std::uint64_t too_wide = 0;   // J1: orders and fills
  std::uint64_t needless = 0;   // J2: orders
  std::uint64_t loose = 0;      // J3: orders that could be one room with an earlier order
  std::uint64_t seated_twice = 0;
  std::vector<std::string> words;

  // The number of needless rooms.
  [[nodiscard]] std::uint64_t unjustified() const { return needless + loose; }
};

// REQUIRES: `seen` and `ends` are ordered by time (put_in_order).
[[nodiscard]] PoolBill judge_pools(const std::vector<events::Event>& seen,
                                   const master::plan::Rules& rules, const Brought& brought,
                                   const PoolTolerance& tolerance = {},
                                   const std::vector<NodeEnd>& ends = {});

}  // namespace fixkeep::client_sim
