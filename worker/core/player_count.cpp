#include "worker/core/player_count.hpp"

#include <algorithm>
#include <string>

namespace fixkeep::worker {
namespace {

// No player can have this name: names from masters are not empty and contain no NUL.
PlayerId stranger(std::uint32_t number) {
  return PlayerId{std::string{'\0'} + "stranger " + std::to_string(number)};
}

}  // namespace

CountedSeats apply_count(Seats& seats, std::uint32_t players) {
  CountedSeats changes;
  const std::uint32_t most = std::min(players, seats.capacity());
  for (std::uint32_t number = 1; seats.taken() < most; ++number) {
    const PlayerId id = stranger(number);
    if (seats.find(id) != nullptr) continue;
    seats.occupy_anew(id);
    changes.taken.push_back(id);
  }
  // Strangers leave first, then the earliest arrivals.
  for (std::uint32_t number = seats.capacity(); number > 0 && seats.occupied() > players;
       --number) {
    const PlayerId id = stranger(number);
    if (seats.leave(id)) changes.freed.push_back(id);
  }
  while (seats.occupied() > players) {
    const PlayerId first = *seats.first_to_come();
    // If the player has reserved the seat again, the seat is not freed, but only reserved from now
    // on.
    if (seats.leave(first)) changes.freed.push_back(first);
  }
  return changes;
}

bool has_come(const Seats& seats, std::uint32_t players) {
  return seats.occupied() < players;
}

}  // namespace fixkeep::worker
