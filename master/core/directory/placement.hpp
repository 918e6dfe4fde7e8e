// The order in which a group's rooms are asked: an index of the rooms with free seats.
//
// A group may have thousands of rooms, most of them full. The index contains only askable rooms,
// ordered by (free seats, room id). Every master finds the same next room, in O(log rooms). Thread
// rule: one owner.
#pragma once

#include <compare>
#include <cstdint>
#include <set>

#include "common/base/ids.hpp"
#include "master/core/seam/settings.hpp"

namespace fixkeep::master {

class AskableRooms {
 public:
  explicit AskableRooms(Placement placement) : placement_(placement) {}

  // REQUIRES: free > 0.
  void insert(const RoomId& room, std::uint32_t free) { rooms_.insert({rank(free), room}); }
  void erase(const RoomId& room, std::uint32_t free) { rooms_.erase({rank(free), room}); }
  [[nodiscard]] bool empty() const { return rooms_.empty(); }
  [[nodiscard]] std::size_t size() const { return rooms_.size(); }

  // Returns the first room of this order that has at least `seats` free seats, or null. The pointer
  // is valid until the index changes.
  [[nodiscard]] const RoomId* first_with(std::uint32_t seats) const {
    if (placement_ == Placement::roomiest) {
      // The first room has the most free seats: if these are too few, no room has enough.
      if (rooms_.empty() || rooms_.begin()->rank > rank(seats)) return nullptr;
      return &rooms_.begin()->room;
    }
    const auto at = rooms_.lower_bound({rank(seats), RoomId{}});
    return at == rooms_.end() ? nullptr : &at->room;
  }

 private:
  struct Key {
    std::uint32_t rank = 0;
    RoomId room;
    friend auto operator<=>(const Key&, const Key&) = default;
    friend bool operator==(const Key&, const Key&) = default;
  };
  [[nodiscard]] std::uint32_t rank(std::uint32_t free) const {
    return placement_ == Placement::roomiest ? ~free : free;
  }

  Placement placement_;
  std::set<Key> rooms_;
};

}  // namespace fixkeep::master
