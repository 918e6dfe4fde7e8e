// The decision for equal players: the free seats of rooms while tickets are put into them. Each
// ticket goes into the first room with seats for all its players.
//
// Two parts of a master take seats here and so cannot disagree. One finds the claims that need
// another room. The other orders rooms. The planner (planner.hpp) fills rooms in the same way. It
// differs where it orders rooms for parties: it looks for full ones. n tickets of one player fill
// ⌈n/c⌉ rooms of c seats.
//
// Thread rule: one owner. Bounds: the added rooms. put() costs the rooms that are not full. For
// tickets of one player its time is constant. Errors: no seats are taken if no room has them.
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
  // One number of free seats a room in the order of the rooms.
  explicit FirstFit(std::vector<std::uint32_t> free) : free_(std::move(free)) {}

  void add(std::uint32_t free) { free_.push_back(free); }  // a room behind all others
  [[nodiscard]] std::size_t rooms() const { return free_.size(); }
  [[nodiscard]] std::uint32_t free(std::size_t room) const { return free_[room]; }

  // Takes the seats of the first room that has them. Returns the room.
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
  std::size_t first_open_ = 0;  // the full rooms at the front are skipped
};

}  // namespace fixkeep::master::plan
