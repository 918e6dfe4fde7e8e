// Seats of a game that reports the number of its players but not their names.
//
// Players with seats are known by name. The number in the game comes from a count every few seconds
// (worker/probe). If the game has more players than taken seats, the surplus players are strangers.
// They came without a seat, and each stranger now takes a seat. If the count is below the number of
// occupied seats, players have left: strangers first, then the earliest arrivals. If a player's
// time to come is over and the count exceeds the occupied seats, the worker assumes that this
// player has come. Thread rule: free functions. Bounds: the capacity of the room. Errors: none.
#pragma once

#include <cstdint>
#include <vector>

#include "common/base/ids.hpp"
#include "worker/core/room.hpp"

namespace fixkeep::worker {

struct CountedSeats {
  std::vector<PlayerId> taken;  // seats that new strangers have taken since the last count
  std::vector<PlayerId> freed;
};

// Changes the seats to match the count.
CountedSeats apply_count(Seats& seats, std::uint32_t players);

// Returns whether `players` exceeds the occupied seats. Then a player with a reservation has come.
[[nodiscard]] bool has_come(const Seats& seats, std::uint32_t players);

}  // namespace fixkeep::worker
