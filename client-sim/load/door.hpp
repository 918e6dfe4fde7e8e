// Whether a room kept its word to a player that came with a seat, and whose doing it was if not.
//
// A seat that was answered admits its player until the time in the answer (docs/design.md,
// invariant 5). Three times decide, all by the wall clock: when the seat ends, when the answer had
// come, and when the player said its token to the room. What has less than `least_left` to live is
// taken for over: that much may go into the way.
// - The player came in time and was refused, for whatever reason: the cluster broke its word.
// - The answer had come when there was no time left: the cluster answered late. By how much
//   client-sim itself may have read it late (OwnLateness) is taken off first.
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
  came_late,      // by client-sim's own lateness
  unreachable,    // no connection to the room, or it ended without an answer
};

inline constexpr std::chrono::milliseconds least_left{100};

struct Visit {
  std::optional<WallTime> ends;  // the time in the answer; without: never
  WallTime answered;
  std::chrono::milliseconds own_lag{0};  // so much earlier the answer may have been there
  WallTime came;                         // the token was said
};

// REQUIRES: the room refused. `line` is what it said: "REFUSED no_seat".
[[nodiscard]] Door judge_refusal(std::string_view line, const Visit& visit);

}  // namespace fixkeep::client_sim
