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
// If the match's master ordered the room, and this order has claims left, the match belongs to the
// order. Matches get the claims of an order first come, first served. For any other match, the
// master requested a seat in the room. Before that order or request, each moment counts for one
// stage only: the first of fence, lock and ask that is under way for the group at the match's
// master. If none is under way, the moment counts for wait.
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
