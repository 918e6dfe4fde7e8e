// Finds, in the events of all nodes (common/events), the orders that a lock would have prevented.
//
// An order of a room is a *collision* if other rooms of the group had seats for the order's
// smallest claim when the order was sent. A room that was ordered earlier counts even if it did not
// exist yet. Three rules protect the orderer (the master that sends the order):
// - The seats must have been free since the orderer was granted the group's lock, and for the time
//   `news` (see find_collisions) before the grant. If the other room was ordered within this time,
//   its seats must have been free since its order. Thus an orderer need not know of a seat that has
//   just come free.
// - Seats that the orderer has requested do not count as free until the answer.
// - The orderer orders no room for its kept-back claims, because it expects free seats for them.
//   The seats that these claims may take do not count as free.
// Rooms ordered during one hold of the lock do not collide with each other.
//
// The cost of collisions at a moment is the number of rooms from collisions that their group does
// not need. A group needs ⌈seats taken / capacity⌉ rooms. A booting room costs as much as an open
// room. The cost ends when, after the last answer to a match, a seat becomes free.
//
// Fault model: the events of every node are complete. The clocks of the nodes agree: on one machine
// to a fraction of a millisecond. If the time between two orders is shorter than the clock error,
// the judge may take the orders in the wrong sequence. It then reports the wrong order as the
// collision, but the number of collisions is correct. A crashed worker reports nothing more about
// its rooms. Thread rule: a pure function. Bounds: E events are sorted and then read once in O(E
// log E). An order reads the rooms of its group that have free seats at that moment, and the
// history of these seats since the grant. The bill stores only sums, so it does not change this
// bound.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "common/events/event.hpp"

namespace fixkeep::client_sim {

struct Collision {
  GroupKey group;
  CreationId order;
  std::string master;  // sender of the order
  events::EventTime at;
  CreationId other;          // the room with the most free seats
  std::uint32_t seats = 0;   // free seats of `other`
  bool carried_out = false;  // the order led to a room
};

struct CollisionBill {
  std::vector<Collision> collisions;  // sorted by time
  std::uint64_t orders = 0;           // all sent orders
  double wasted_room_seconds = 0;
  double wasted_seat_seconds = 0;
};

// Sorts by time. Events with equal times keep their sequence.
void put_in_order(std::vector<events::Event>& seen);

// `seen` need not be sorted. `news`: the longest time until a master learns from a worker about a
// free seat.
[[nodiscard]] CollisionBill find_collisions(std::vector<events::Event> seen,
                                            std::chrono::microseconds news = {});

}  // namespace fixkeep::client_sim
