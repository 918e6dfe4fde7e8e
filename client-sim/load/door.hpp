// Decides whether a room admitted a player with a seat and which side was at fault if not.
//
// A seat that was answered admits its player until the time in the answer (docs/design.md invariant
// 5). Three times of the wall clock decide: the end of the seat, the arrival of the answer and the
// moment at which the player sent its token to the room. A seat with less than `least_left` to live
// counts as over: the way may take that long.
// - The player came in time and was refused for any reason: the cluster broke its word.
// - The answer came when there was no time left: the cluster answered late. The lateness of
//   client-sim's own reading (OwnLateness) is taken off first.
// - Otherwise client-sim was late on its own way from the answer to the room.
//
// Fault model: the clocks of this machine and of the masters agree; compare runs on one machine.
// Thread rule: a pure function.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>

namespace fixkeep::client_sim {

using WallTime = std::chrono::sys_time<std::chrono::milliseconds>;

enum class Door : std::uint8_t {
  not_reached,    // there never was a seat
  let_in,         // the room said WELCOME
  turned_away,    // the room refused a token that was valid
  answered_late,  // the seat had ended when its answer came
  came_late,      // late by client-sim's own lateness
  unreachable,    // no connection to the room, or it ended without an answer
};

inline constexpr std::chrono::milliseconds least_left{100};

struct Visit {
  std::optional<WallTime> ends;  // the time in the answer; without: never
  WallTime answered;
  std::chrono::milliseconds own_lag{0};  // possible lateness of client-sim in reading the answer
  WallTime came;                         // the token was said
};

// REQUIRES: the room refused. `line` is what it said: "REFUSED no_seat".
[[nodiscard]] Door judge_refusal(std::string_view line, const Visit& visit);

}  // namespace fixkeep::client_sim
