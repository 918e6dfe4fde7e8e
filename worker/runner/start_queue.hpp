// The rooms that wait for their start, and the rooms that are starting ("on their way").
//
// A machine starts only as many games a second as its cores allow. If too many rooms are on their
// way at a time, each start becomes slower, and the worker too. Therefore only a limited number of
// rooms is on its way at a time. The other rooms wait in a queue.
//
// Invariants: 1. A room is waiting, is on its way, or is unknown to the queue.
//             2. At most `most` rooms are on their way.
// The speed of starts is measured where rooms are counted (worker/core/start_pace.hpp).
// Thread rule: one owner; sans-IO. Bounds: the rooms of the worker. Errors: none.
#pragma once

#include <cstddef>
#include <deque>
#include <optional>
#include <set>

#include "common/base/ids.hpp"

namespace fixkeep::worker {

class StartQueue {
 public:
  // REQUIRES: `most` is at least 1.
  explicit StartQueue(std::size_t most) : most_(most) {}

  void add(RoomNumber room) { waiting_.push_back(room); }
  // Puts a room that was on its way first in the queue.
  void put_back(RoomNumber room);
  // Takes a waiting room out of the queue. Returns false if the room was not waiting.
  [[nodiscard]] bool take_out(RoomNumber room);
  // Returns the next room, which is now on its way. Nullopt: no room waits or enough rooms are on
  // their way.
  [[nodiscard]] std::optional<RoomNumber> next();
  // Notes that the room is no longer on its way. If the room was not on its way, nothing happens.
  void done(RoomNumber room) { on_their_way_.erase(room); }

  [[nodiscard]] std::size_t waiting() const { return waiting_.size(); }
  [[nodiscard]] const std::set<RoomNumber>& on_their_way() const { return on_their_way_; }

 private:
  std::size_t most_;
  std::deque<RoomNumber> waiting_;
  std::set<RoomNumber> on_their_way_;
};

}  // namespace fixkeep::worker
