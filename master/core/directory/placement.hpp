// The order in which a group's rooms are asked: an index of the rooms with free seats.
//
// A group may have thousands of rooms, most of them full. The index contains only askable rooms,
// ordered by (free seats, room id). Every master finds the same next room, in O(log rooms). Thread
// rule: one owner.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <set>

#include "common/base/ids.hpp"
#include "master/core/seam/settings.hpp"

namespace fixkeep::master {

class AskableRooms {
 public:
  explicit AskableRooms(Placement placement) : placement_(placement) {}

  // REQUIRES: free > 0. `gathers`: the room is in RoomStage::gathering.
  void insert(const RoomId& room, std::uint32_t free, bool gathers = true) {
    rooms_[gathers].insert({rank(free), room});
  }
  void erase(const RoomId& room, std::uint32_t free, bool gathers = true) {
    rooms_[gathers].erase({rank(free), room});
  }
  [[nodiscard]] bool empty() const { return size() == 0; }
  [[nodiscard]] std::size_t size() const { return rooms_[0].size() + rooms_[1].size(); }

  // Returns the first room of this order that has at least `seats` free seats, or null.
  // `no_backfill`: only a room that gathers. The pointer is valid until the index changes.
  [[nodiscard]] const RoomId* first_with(std::uint32_t seats, bool no_backfill = false) const {
    const Key* const gathers = first_in(rooms_[1], seats);
    const Key* const runs = no_backfill ? nullptr : first_in(rooms_[0], seats);
    const bool first_runs = runs != nullptr && (gathers == nullptr || *runs < *gathers);
    const Key* const first = first_runs ? runs : gathers;
    return first == nullptr ? nullptr : &first->room;
  }

 private:
  struct Key {
    std::uint32_t rank = 0;
    RoomId room;
    friend auto operator<=>(const Key&, const Key&) = default;
    friend bool operator==(const Key&, const Key&) = default;
  };
  [[nodiscard]] const Key* first_in(const std::set<Key>& rooms, std::uint32_t seats) const {
    if (rooms.empty()) return nullptr;
    if (placement_ == Placement::roomiest) {
      // The first room has the most free seats: if these are too few, no room has enough.
      return rooms.begin()->rank > rank(seats) ? nullptr : &*rooms.begin();
    }
    const auto at = rooms.lower_bound({rank(seats), RoomId{}});
    return at == rooms.end() ? nullptr : &*at;
  }
  [[nodiscard]] std::uint32_t rank(std::uint32_t free) const {
    return placement_ == Placement::roomiest ? ~free : free;
  }

  Placement placement_;
  std::array<std::set<Key>, 2> rooms_;  // index: the room gathers
};

}  // namespace fixkeep::master
