// Seats of a game that tells how many players it has, but not their names.
//
// Players with seats are known by name; the number in the game comes from a count every few seconds
// (worker/probe). If the game has more players than taken seats, the others are strangers, who came
// by themselves and take seats as well. If it has fewer than are believed to be there, that many
// have left: strangers first, then the earliest arrivals. A player whose time to come is over, and
// for whom the count has room, has come. Thread rule: free functions. Bounds: the capacity of the
// room. Errors: none.
#pragma once

#include <cstdint>
#include <vector>

#include "common/base/ids.hpp"
#include "worker/core/room.hpp"

namespace fixkeep::worker {

struct CountedSeats {
  std::vector<PlayerId> taken;  // seats of new strangers since the last count
  std::vector<PlayerId> freed;
};

// Changes the seats to match the count.
CountedSeats apply_count(Seats& seats, std::uint32_t players);

// Whether the count has room for one more player than is known to be there.
[[nodiscard]] bool has_come(const Seats& seats, std::uint32_t players);

}  // namespace fixkeep::worker
