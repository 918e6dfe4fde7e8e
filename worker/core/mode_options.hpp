// The options of a mode say how its rooms are kept: their times, what they need, and how their
// seats come free.
// Thread rule: values. Bounds: those of the configuration. Errors: none.
#pragma once

#include <chrono>
#include <cstdint>

#include "common/base/ids.hpp"
#include "common/base/time.hpp"

namespace fixkeep::worker {

// The rule says how the worker learns who plays, and so which seats are free.
enum class SeatRule : std::uint8_t {
  told,        // the game says who comes and who goes (SDK)
  counted,     // the game is asked how many there are (PlayersCounted)
  for_a_time,  // nothing is known: a seat stays taken for ModeOptions::seat_time
  until_exit,  // nothing is known: a seat stays taken until the game ends, unless its time to come
               // is over and nobody at all is connected to the game. Where that cannot be seen, it
               // stays taken for longest_untold_seat
};
inline constexpr Duration longest_untold_seat{std::chrono::hours{24}};

struct ModeOptions {
  ModeName name;
  Duration boot_timeout{std::chrono::seconds{30}};  // from StartProcess to ProcessReady
  Duration stop_grace{std::chrono::seconds{5}};     // from SignalProcess to KillProcess
  std::uint32_t memory_mib = 0;  // what a room is expected to use; 0: not counted
  SeatRule seats = SeatRule::told;
  Duration seat_time{};  // of SeatRule::for_a_time, from the moment at which the player may come
  // A player who has left the game finds its seat for so long, by SeatRule::told. 0: it does not.
  Duration reconnect{};
  bool needs_group = false;  // its game is told its group when it starts, so it is never warm
};

}  // namespace fixkeep::worker
