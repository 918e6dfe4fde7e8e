// Capacity computes the number of additional rooms that a worker can take. The limits are the
// number of rooms, memory, the runner's free places and the pace of starts.
//
// Headroom is counted in rooms of the mode that needs most memory, so that a worker can always
// start the rooms that it has offered.
// Invariants: 1. No room number is given out twice.
//             2. If the caller orders rooms only while has_room_for() is true, then the number of
//                processes and their memory stay within `room_limit` and `memory_mib`.
// Thread rule: one owner. Bounds: a few numbers. Errors: none.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>

#include "common/base/assert.hpp"
#include "common/base/ids.hpp"
#include "worker/core/start_pace.hpp"

namespace fixkeep::worker {

class Capacity {
 public:
  // `memory_mib`: memory of all rooms together; 0: not limited.
  Capacity(std::uint32_t room_limit, std::uint32_t memory_mib)
      : room_limit_(room_limit), memory_mib_(memory_mib) {}

  // --- use and release
  RoomNumber order(std::uint32_t room_mib) {
    adopt(room_mib);
    return RoomNumber{++newest_};
  }
  void adopt(std::uint32_t room_mib) {
    ++processes_;
    used_mib_ += room_mib;
  }
  void give_back(std::uint32_t room_mib) {
    FIXKEEP_ASSERT(processes_ > 0, "no process was counted");
    --processes_;
    used_mib_ -= room_mib;
  }
  // Skips the room numbers up to `newest`, because an earlier run may have used them.
  void go_on_after(std::uint32_t newest) { newest_ = placed_ = newest; }
  // Stores the number of places that were free when the room `started` was started. Nullopt: no
  // limit.
  void places_changed(std::optional<std::uint32_t> places, RoomNumber started) {
    places_ = places;
    placed_ = std::max(placed_, std::min(newest_, started.number()));
  }
  void set_largest(std::uint32_t room_mib) { largest_mib_ = room_mib; }
  StartPace& pace() { return pace_; }

  // --- free capacity
  [[nodiscard]] std::uint32_t processes() const { return processes_; }
  [[nodiscard]] RoomNumber newest() const { return RoomNumber{newest_}; }
  [[nodiscard]] const StartPace& pace() const { return pace_; }
  [[nodiscard]] std::uint32_t headroom() const {
    const std::uint32_t limit = processes_ < room_limit_ ? room_limit_ - processes_ : 0;
    const std::uint32_t rooms = std::min({limit, places_left(), pace_.room()});
    if (memory_mib_ == 0 || largest_mib_ == 0) return rooms;
    const std::uint64_t free_mib = memory_mib_ - std::min<std::uint64_t>(memory_mib_, used_mib_);
    return std::min(rooms, static_cast<std::uint32_t>(free_mib / largest_mib_));
  }
  [[nodiscard]] bool has_room_for(std::uint32_t room_mib) const {
    if (processes_ >= room_limit_ || places_left() == 0) return false;
    return memory_mib_ == 0 || used_mib_ + room_mib <= memory_mib_;
  }

 private:
  // Returns the places that are free and not needed by a room that is ordered but not started yet.
  [[nodiscard]] std::uint32_t places_left() const {
    if (!places_) return std::numeric_limits<std::uint32_t>::max();
    return *places_ - std::min(*places_, newest_ - placed_);
  }

  std::uint32_t room_limit_;
  std::uint32_t memory_mib_;
  std::uint32_t newest_ = 0;     // the highest room number given out
  std::uint32_t processes_ = 0;  // ordered rooms whose process is not gone
  std::uint64_t used_mib_ = 0;
  std::uint32_t largest_mib_ = 0;
  std::optional<std::uint32_t> places_;
  std::uint32_t placed_ = 0;  // newest room that places_ takes into account
  StartPace pace_;
};

}  // namespace fixkeep::worker
