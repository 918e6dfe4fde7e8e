// Seats of a game that tells how many players it has, and not who they are.
//
// The players with seats are known by name, and the number of those who are there from a count that
// comes every few seconds (worker/probe). What can be said is this: if the game has more players
// than seats are taken, the others are strangers, who came by themselves and take seats as well; if
// it has fewer than are believed to be there, so many have left, and strangers are the first to be
// believed gone, then those who came first. A player whose time to come is over, and for whom the
// count has room, has come. Thread rule: free functions. Bounds: the capacity of the room. Errors:
// none.
#pragma once

#include <cstdint>
#include <vector>

#include "common/base/ids.hpp"
#include "worker/core/room.hpp"

namespace fixkeep::worker {

struct CountedSeats {
  std::vector<PlayerId> taken;  // by strangers, since the count before
  std::vector<PlayerId> freed;
};

// Changes the seats as the count says.
CountedSeats apply_count(Seats& seats, std::uint32_t players);

// Whether the count has room for one more player than are known to be there.
[[nodiscard]] bool has_come(const Seats& seats, std::uint32_t players);

}  // namespace fixkeep::worker
