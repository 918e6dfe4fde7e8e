// The decision for equal players: fills the free seats of rooms with tickets. Each ticket gets the
// first room with seats for all its players.
//
// Two parts of a master use this class, so they cannot disagree: SeatNeed finds the claims that
// need another room, and plan_spawns() orders rooms. The planner (planner.hpp) fills rooms in the
// same way. But for orders with parties the planner searches for tickets that fill whole rooms. n
// tickets of one player each fill ⌈n/c⌉ rooms of c seats.
//
// Thread rule: one owner. Bounds: the added rooms. put() visits the rooms that are not full; for
// tickets of one player its time is constant. Errors: if no room has enough seats, no seats are
// taken.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace fixkeep::master::plan {

class FirstFit {
 public:
  FirstFit() = default;
  // `free`: the free seats of each room, in the order of the rooms.
  explicit FirstFit(std::vector<std::uint32_t> free) : free_(std::move(free)) {}

  void add(std::uint32_t free) { free_.push_back(free); }  // adds a room behind all others
  [[nodiscard]] std::size_t rooms() const { return free_.size(); }
  [[nodiscard]] std::uint32_t free(std::size_t room) const { return free_[room]; }

  // Takes the seats in the first room that has enough seats. Returns this room.
  std::optional<std::size_t> put(std::uint32_t seats) {
    while (first_open_ < free_.size() && free_[first_open_] == 0) ++first_open_;
    const auto room = std::find_if(free_.begin() + static_cast<std::ptrdiff_t>(first_open_),
                                   free_.end(), [&](std::uint32_t left) { return left >= seats; });
    if (room == free_.end()) return std::nullopt;
    *room -= seats;
    return static_cast<std::size_t>(room - free_.begin());
  }

 private:
  std::vector<std::uint32_t> free_;
  std::size_t first_open_ = 0;  // full rooms at the front are skipped
};

}  // namespace fixkeep::master::plan
