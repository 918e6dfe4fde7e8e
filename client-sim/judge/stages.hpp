// Divides the time of each answered match into stages that follow each other. The input is the
// events of all nodes (common/events).
//
//   ask    the master requests seats in existing rooms
//   lock   the master waits for the group's lock
//   fence  the workers promise to refuse older orders
//   order  the order of the room is on its way to the worker
//   boot   the room starts
//   news   the room is open, but the master does not know this yet
//   wait   none of these: the claim waits for other claims of its group
//
// Before the order of the match's own room or the request to this room, each moment counts for only
// one stage. If two or three of fence, lock and ask are under way at the same time for the group at
// the match's master, the first stage in this sequence counts. If a match's own master sent the
// order of its room, and the order has claims left, the match belongs to this order. Matches get
// these claims first come, first served. All other matches have requested a seat in the room.
//
// Fault model: as in collisions.hpp. A match whose room reported nothing has no order, boot and
// news stage. A negative time between the clocks of two machines counts as zero.
// Thread rule: a pure function. Bounds: O(matches of a group × its master's acts for the group).
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

// REQUIRES: put_in_order() has sorted `seen` (collisions.hpp).
[[nodiscard]] StageTimes find_stages(const std::vector<events::Event>& seen);

}  // namespace fixkeep::client_sim
