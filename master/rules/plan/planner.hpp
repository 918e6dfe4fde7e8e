// The one decision of a pool: seats of rooms for tickets and orders of new rooms.
//
// A pure function of its arguments: neither earlier decisions nor the order of tickets and rooms
// change the result. The steps, in this order:
//
//   1. Tickets that can never have a room are refused.
//   2. Each ticket, the oldest first, is put into the first room that takes it. If half of the work
//      may not suffice for all, this begins at Budget::from. It ends when that half is spent.
//   3. Each ticket that is left, the oldest first, looks for a room with younger ones. It looks in
//      the region where it is best off and then in the others. Candidates are the tickets that no
//      rule of two tickets keeps apart from it, nearest first. More of them are tried until some
//      make a room. A set that is not full is joined with an earlier order if the two can be one
//      room. Tickets that were passed over too often take the place of younger ones.
//
// A decision has these properties, for tickets C of an order and rooms R:
//   J1  C may start by the rules (rules.hpp).
//   J2  no ticket of C could join a room of R after the fills, starting rooms included.
//   J3  no two orders could be one room.
//   J4  a ticket is in one place.
//   J5  no ticket waits on while it and other waiting tickets could make a room, if the looks of a
//       room suffice to try all sets; it is passed over Rules::passes times at most.
// With a spent budget J5 holds once calls have gone on from `next` to the end. J1 to J4 hold of
// each call. A ticket without a look in step 2 is only in an order after all rooms have refused it.
// If one would take it a later call gives it the seat.
//
// Thread rule: one owner. Bounds: Budget. Each step finishes its current ticket. No memory is taken
// once calls have been as large before. Errors: Decision::refused.
#pragma once

#include <memory>
#include <span>

#include "master/rules/plan/decision.hpp"
#include "master/rules/plan/rules.hpp"
#include "master/rules/plan/ticket.hpp"

namespace fixkeep::master::plan {

class Planner {
 public:
  Planner();
  ~Planner();
  Planner(Planner&&) noexcept;
  Planner& operator=(Planner&&) noexcept;

  // REQUIRES: bounds of rules.hpp and ticket.hpp. Rooms have the rules' number of teams. At most
  // rooms_most rooms. No ticket began to wait after `now`. Replaces `out`.
  void plan(const Rules& rules, const TicketPool& tickets, std::span<const Room> rooms,
            TimePoint now, const Budget& budget, Decision& out);

 private:
  class Call;
  struct Buffers;
  std::unique_ptr<Buffers> buffers_;
};

}  // namespace fixkeep::master::plan
