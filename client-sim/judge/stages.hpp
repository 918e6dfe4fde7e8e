// Where the time of the matches went by the events of all nodes (common/events). Each answered
// match is a sum of stages that follow each other.
//
//   ask    rooms that exist are asked for seats
//   lock   the group's lock is waited for
//   fence  the workers promise to refuse older orders
//   order  the order of the room is on its way to the worker
//   boot   the room starts
//   news   it is open, and the master does not know yet
//   wait   none of these: the claim waits for others of its group
//
// Before the match's own room is ordered or asked, each moment counts as the first of fence, lock
// and ask that is under way for the group at its master. A match rides in the order of its room if
// its master sent that order. It does so as long as the order has claims: first come first served
// as the master takes them. All others have asked the room.
//
// Fault model: as collisions.hpp. A match whose room told nothing counts as waiting until its end.
// Times between two machines' clocks are never below zero.
// Thread rule: a pure function. Bounds: O(matches of a group × what its master does for the group).
// Errors: none.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "common/events/event.hpp"

namespace fixkeep::client_sim {

enum class Stage : std::uint8_t { wait, ask, lock, fence, order, boot, news };
inline constexpr std::size_t stage_count = 7;
inline constexpr std::array<std::string_view, stage_count> stage_names{
    "wait", "ask", "lock", "fence", "order", "boot", "news"};

struct StageTimes {
  std::uint64_t matches = 0;             // matches with a seat
  std::array<double, stage_count> ms{};  // mean of each stage, by Stage
  [[nodiscard]] double of(Stage stage) const { return ms.at(static_cast<std::size_t>(stage)); }
  [[nodiscard]] double sum() const;  // the mean time to match, as the masters see it
};

// REQUIRES: put_in_order() of the events (collisions.hpp).
[[nodiscard]] StageTimes find_stages(const std::vector<events::Event>& seen);

}  // namespace fixkeep::client_sim
