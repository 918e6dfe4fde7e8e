// The rooms of a group that no worker has shown yet. The lock value says that another master has
// ordered these rooms.
//
// A holder releases the lock when its orders are sent, and names the orders in the lock value. The
// next holder counts the spare seats of the ordered rooms as possible seats. It orders only for
// claims that fit nowhere. An order may be refused, or lost with a link. Only the master that sent
// the order receives the result. The room is therefore expected only for a bounded time. The seats
// of an overdue room no longer count. The next hold fences: the fence shows the room or makes the
// order void.
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
  // Replaces the earlier hints. A room that the earlier hints named keeps its time limit.
  // REQUIRES: all hints name an order.
  void replace(std::vector<wire::RoomHint>&& hints);
  void add(wire::RoomHint&& hint);
  // Sets this time limit for rooms without a limit.
  void trust_until(TimePoint until);
  // Returns whether any room has become overdue.
  bool time_passed(TimePoint now);
  // Call when a worker has shown the room. Returns whether the room was in this list.
  bool seen(const CreationId& creation);
  // Removes and returns the rooms ordered from the worker.
  [[nodiscard]] std::vector<wire::RoomHint> take(const WorkerId& worker);
  void clear() { rooms_.clear(); }

  // Returns the spare seats of each room that is not overdue.
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
