// A Worker is a master's belief about one worker. Thread rule: a value of one Directory.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "common/base/ids.hpp"
#include "common/base/time.hpp"
#include "common/wire/messages.hpp"
#include "master/core/directory/room.hpp"

namespace fixkeep::master {

// Orders whose rooms a worker has shown and later closed. If no master has used the lock since
// then, the lock value may still name such an order. A master that finds the order here does not
// wait for the order's room. Bounds: the latest `most` orders. If an order was forgotten, a master
// waits once in vain for its room.
class ClosedOrders {
 public:
  static constexpr std::size_t most = 1000;

  void add(const GroupKey& group, const CreationId& creation) {
    const auto [at, added] = orders_.emplace(group, creation);
    if (!added) return;
    by_age_.push_back(*at);
    if (by_age_.size() <= most) return;
    orders_.erase(by_age_.front());
    by_age_.pop_front();
  }
  [[nodiscard]] bool contains(const GroupKey& group, const CreationId& creation) const {
    return orders_.contains({group, creation});
  }

 private:
  using Order = std::pair<GroupKey, CreationId>;

  std::set<Order> orders_;
  std::deque<Order> by_age_;
};

struct Worker {
  WorkerId id;
  Incarnation incarnation;
  std::uint64_t link = 0;  // grows with each connection
  ZoneName zone;
  std::string address;
  std::uint16_t ping_port = 0;
  SeatRoot seat_root{};
  std::uint32_t room_limit = 0;
  std::uint32_t headroom = 0;
  wire::StartQueue start_queue;
  std::uint32_t ordered = 0;       // unanswered orders of this master
  std::uint32_t warm_ordered = 0;  // unanswered orders that allow only warm rooms
  RoomNumber newest_room;
  ReservationId last_reservation;  // last reservation that the worker has reported
  std::set<ModeName> modes;
  std::map<ModeName, wire::PausedMode> paused;  // modes that start no room now
  std::map<ModeName, wire::PausedMode> slow;    // modes whose latest room is not ready
  // Why the last boots failed, by mode. A reason remains even when the pause of its mode has ended.
  std::map<ModeName, std::string> last_failure;
  std::set<ModeName> never_warm;  // modes for which the worker makes no warm rooms
  std::map<RoomNumber, Room> rooms;
  std::size_t players = 0;     // players in all rooms
  ClosedOrders closed;         // orders whose rooms were closed over this link
  bool known = false;          // its WorkerState has arrived
  bool keeps_matches = false;  // see wire::WorkerState
  bool behind = false;         // an answer is overdue
  // The quarantine sets the next two members (quarantine.hpp).
  std::set<ModeName> without_orders;  // modes without orders; empty name: all
  bool on_probation = false;

  [[nodiscard]] bool gets_orders() const { return !without_orders.contains(ModeName{}); }
  [[nodiscard]] bool starts(const ModeName& mode) const {
    return modes.contains(mode) && !paused.contains(mode) && gets_orders() && !behind &&
           !without_orders.contains(mode);
  }
  // Returns how many rooms the worker says it can start, within the worker's limit.
  [[nodiscard]] std::uint32_t room_left() const {
    const std::size_t left = room_limit > rooms.size() ? room_limit - rooms.size() : 0;
    return static_cast<std::uint32_t>(std::min<std::size_t>(headroom, left));
  }
  // Returns the time in which the worker must answer: `usual`, or a quarter of it on probation.
  [[nodiscard]] Duration patience(Duration usual) const { return on_probation ? usual / 4 : usual; }
  [[nodiscard]] bool can_warm(const ModeName& mode) const;
};

}  // namespace fixkeep::master
