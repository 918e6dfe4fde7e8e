// Judges the decisions of masters for pools with widening limits (docs/matching.md). Inputs are the
// events of all nodes and the numbers of their players. It uses nothing of the planner: of the
// rules only their numbers are read.
//
//   J1  The players of an order, and those who join a room, are within the limits of the moment,
//       and an order has as many as may start.
//   J2  No order was sent while a room that could take one of its claims was there, or starting.
//   J3  No two orders of one decision could be one room.
//   J4  No player has seats in two rooms of a pool.
//
// Every counted fault is surely one. A room counts for J2 from its order on if the orderer's fence
// has heard of its worker and no seat of it came free since that fence. Seats that the same
// decision fills are taken. With a lock that is kept it finds no fault. Without one it finds no
// fault either as long as workers refuse the orders of a decision with an outdated fence.
//
// J1 takes the longest time that a player may have waited. J2 and J3 take the shortest
// (PoolTolerance). Teams, latencies, roles and players to avoid are not judged. Rules with them
// also leave out J2 and J3: the players that could have joined are unknown then. Assumes: the
// events of every node without gaps in the order of time. Thread rule: a pure function. Bounds: an
// order is held against each living room of its pool and against the orders of its decision;
// `words_most` faults are told in words.
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
// Has every player (also those of a party) with numbers in the order of the rules.
using Brought = std::map<PlayerId, Numbers>;

struct PoolBill {
  static constexpr std::size_t words_most = 40;

  std::uint64_t decisions = 0;  // decisions that seated a player
  std::uint64_t fills = 0;      // claims that were to join a room
  std::uint64_t orders = 0;     // rooms that came of them
  std::uint64_t refused = 0;    // orders of which no room came
  std::uint64_t too_wide = 0;   // J1: orders and fills
  std::uint64_t needless = 0;   // J2: orders
  std::uint64_t loose = 0;      // J3: orders that could be one with an earlier one
  std::uint64_t seated_twice = 0;
  std::vector<std::string> words;

  // Rooms that were made and need not have been.
  [[nodiscard]] std::uint64_t unjustified() const { return needless + loose; }
};

// REQUIRES: `seen` and `ends` by time (put_in_order).
[[nodiscard]] PoolBill judge_pools(const std::vector<events::Event>& seen,
                                   const master::plan::Rules& rules, const Brought& brought,
                                   const PoolTolerance& tolerance = {},
                                   const std::vector<NodeEnd>& ends = {});

}  // namespace fixkeep::client_sim
