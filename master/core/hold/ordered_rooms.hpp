// The rooms of a group that other masters have ordered by the lock value and no worker has shown.
//
// A holder passes the lock on as soon as its orders are sent and names them. The next holder counts
// their spare seats as possible seats. It orders only for claims that fit nowhere. Only its master
// hears the end of an order: it may be refused or lost with a link. A room is trusted to come for a
// bounded time only. When it is overdue its seats do not count any more. The next hold fences: the
// fence shows the room or makes the order void.
//
// Thread rule: a value, one owner. Bounds: wire::limits::hints. Errors: none.
#pragma once

#include <cstdint>
#include <vector>

#include "common/base/ids.hpp"
#include "common/base/time.hpp"
#include "common/wire/messages.hpp"

namespace fixkeep::master {

class OrderedRooms {
 public:
  // All hints name an order. They replace the earlier hints. A room that was named before is
  // trusted no longer than it was.
  void replace(std::vector<wire::RoomHint>&& hints);
  void add(wire::RoomHint&& hint);
  // Orders that have no end yet are trusted until then.
  void trust_until(TimePoint until);
  // True: one is overdue that was not before.
  bool time_passed(TimePoint now);
  // A worker has shown the room. True: it was one of these.
  bool seen(const CreationId& creation);
  // Takes out what is ordered of the worker.
  [[nodiscard]] std::vector<wire::RoomHint> take(const WorkerId& worker);
  void clear() { rooms_.clear(); }

  // Spare seats of the rooms that are trusted to come: one number a room.
  [[nodiscard]] std::vector<std::uint32_t> seats() const;
  [[nodiscard]] bool overdue() const;  // at least one room is overdue
  [[nodiscard]] std::vector<wire::RoomHint> hints() const;

 private:
  struct Ordered {
    wire::RoomHint hint;
    TimePoint until = TimePoint::max();
    bool overdue = false;
  };
  std::vector<Ordered> rooms_;
};

}  // namespace fixkeep::master
