// Decides whether a room admitted a player with a seat, and if not, which side was at fault.
//
// If a master's answer has a seat, it also has a time. The room admits the player until this time
// (docs/design.md invariant 5). Three times by the wall clock decide: the end of the seat, the
// arrival of the answer and the sending of the token to the room. A seat with less than
// `least_left` of validity counts as ended, because the connection can take that long.
// - If the token was in time, or if the room's reason is not about time, the cluster broke its
//   promise.
// - If the answer arrived after the end of the seat, the cluster answered late. The lateness of
//   client-sim's own reading (OwnLateness) is subtracted first.
// - Otherwise client-sim was late between the answer and the room.
//
// Fault model: the clocks of this machine and of the masters agree; `compare` uses one machine
// only.
// Thread rule: a pure function.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>

namespace fixkeep::client_sim {

using WallTime = std::chrono::sys_time<std::chrono::milliseconds>;

enum class Door : std::uint8_t {
  not_reached,    // the player never got a seat
  let_in,         // the room said WELCOME
  turned_away,    // the room refused a valid token
  answered_late,  // the seat had ended before its answer arrived
  came_late,      // client-sim itself was late
  unreachable,    // no connection, or a connection that ended without an answer
};

inline constexpr std::chrono::milliseconds least_left{100};

struct Visit {
  std::optional<WallTime> ends;  // the time in the answer; no value: the seat never ends
  WallTime answered;
  std::chrono::milliseconds own_lag{0};  // possible delay of client-sim in reading the answer
  WallTime came;                         // time at which the token was sent
};

// Decides which side was at fault. `line` is the room's answer, for example "REFUSED no_seat".
// REQUIRES: the room refused.
[[nodiscard]] Door judge_refusal(std::string_view line, const Visit& visit);

}  // namespace fixkeep::client_sim
