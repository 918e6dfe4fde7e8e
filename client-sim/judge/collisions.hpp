// Finds the orders that a lock would have prevented in the events of all nodes (common/events).
//
// An order of a room is a *collision* if other rooms of its group had seats for the smallest of its
// claims when it was sent. Rooms also count that were about to have them by orders that had been
// sent already and were carried out later. Three things make it fair to the orderer:
// - the seats must have been there ever since the orderer was granted the group's lock, and for so
//   long before that their worker's news had reached it by then, or since that other room was
//   ordered if that was later: a seat that came free in the last moment is nobody's fault;
// - seats for which the orderer itself has asked and has no answer yet are spoken for;
// - so are as many seats as claims may take that the orderer has kept back from its orders because
//   it expects these very seats.
// Rooms that one hold of the lock orders do not collide with each other.
//
// What collisions cost: at each moment the rooms from collisions that the group would not need (all
// of its rooms but ⌈seats taken / capacity⌉). It ends when a seat comes free after the last answer
// to a match. A room that is booting counts: it costs as much.
//
// Fault model: the events of every node are there without gaps. Their clocks agree: on one machine
// to a fraction of a millisecond. Two orders that were sent within that error of each other may be
// taken for having been sent in the other order: then the other one is the collision. Their number
// is the same. A worker that crashed says no more of its rooms.
// Thread rule: a pure function. Bounds: E events are sorted and then read once in O(E log E). An
// order looks at those rooms of its group that have seats at that moment and at the fate of their
// seats since the grant. The bill keeps sums and costs nothing more.
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
  CreationId other;          // order of the room with the most seats of all
  std::uint32_t seats = 0;   // seats of that room
  bool carried_out = false;  // a room came of it
};

struct CollisionBill {
  std::vector<Collision> collisions;  // in the order of their time
  std::uint64_t orders = 0;           // all that were sent
  double wasted_room_seconds = 0;
  double wasted_seat_seconds = 0;
};

// By time; of the same time as they were.
void put_in_order(std::vector<events::Event>& seen);

// `seen` need not be in order. `news`: how long the news of a free seat may be under way from a
// worker to a master.
[[nodiscard]] CollisionBill find_collisions(std::vector<events::Event> seen,
                                            std::chrono::microseconds news = {});

}  // namespace fixkeep::client_sim
