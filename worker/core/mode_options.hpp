// The options of a mode: times and needs of its rooms, and how seats come free.
// Thread rule: values. Bounds: set by the configuration. Errors: none.
#pragma once

#include <chrono>
#include <cstdint>

#include "common/base/ids.hpp"
#include "common/base/time.hpp"

namespace fixkeep::worker {

// The rule says how the worker learns which players are in the game and which seats are free.
enum class SeatRule : std::uint8_t {
  told,        // the game reports who comes and who leaves (SDK)
  counted,     // the game is asked for its number of players (PlayersCounted)
  for_a_time,  // not known: a seat stays taken for ModeOptions::seat_time
  // Not known: a seat stays taken until the game ends, or until its time to come is over and no
  // client is connected. If connections cannot be seen, it stays taken for longest_untold_seat.
  until_exit,
};
inline constexpr Duration longest_untold_seat{std::chrono::hours{24}};

struct ModeOptions {
  ModeName name;
  Duration boot_timeout{std::chrono::seconds{30}};  // the longest boot, until ProcessReady
  Duration stop_grace{std::chrono::seconds{5}};     // time between SignalProcess and KillProcess
  std::uint32_t memory_mib = 0;  // memory that a room is expected to use; 0: not counted
  SeatRule seats = SeatRule::told;
  // SeatRule::for_a_time: how long a reserved seat stays taken, but at least for the time of a
  // reservation. In a starting room, this time begins when the room opens.
  Duration seat_time{};
  // SeatRule::told: how long a seat is kept after its player has left. 0: not kept.
  Duration reconnect{};
  bool needs_group = false;  // a game needs its group at the start, so no room of this mode is warm
};

}  // namespace fixkeep::worker
