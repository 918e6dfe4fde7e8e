// The decision for a pool: seats in rooms for tickets, and orders for new rooms.
//
// A pure function of its arguments: earlier decisions and the order of tickets and rooms do not
// change the result. The steps, in this order:
//
//   1. Tickets that can never have a room are refused.
//   2. Each ticket, the oldest first, gets seats in the first room that accepts it. If half of the
//      work is possibly too little for all tickets, this step begins at Budget::from. After that
//      half, tickets that were passed over too often get half of the remaining work.
//   3. For each remaining ticket, the oldest first, the planner searches for a room with younger
//      tickets: in the ticket's best region first, then in the other regions. Candidates are
//      tickets that may meet this ticket by all rules for two tickets, nearest first. More
//      candidates are tried until some make a room. A set that is not full is joined with an
//      earlier order if the two can be one room. Tickets that were passed over too often replace
//      younger tickets.
//
// A decision has these properties, for tickets C of an order and rooms R:
//   J1  C may start by the rules (rules.hpp).
//   J2  no ticket of C could join a room of R after the fills, starting rooms included.
//   J3  no two orders could be one room.
//   J4  a ticket has at most one place.
//   J5  no ticket still waits if it could make a room with other waiting tickets, and if
//       Budget::looks_per_ticket suffices to try all sets. A ticket is passed over at most
//       Rules::passes times.
// J1 to J4 hold for each call. If the budget was spent, J5 holds after more calls have continued
// from `next` to the end. A ticket that step 2 has not visited joins an order only after all rooms
// have refused it. If a room accepts the ticket, a later call gives it the seat.
//
// Thread rule: one owner. Bounds: Budget. Each step finishes its current ticket. Memory grows only
// when a call is larger than all calls before. Errors: Decision::refused.
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

  // Replaces `out`. REQUIRES: the bounds of rules.hpp and ticket.hpp. Rooms have the rules' number
  // of teams. There are at most rooms_most rooms. No ticket began to wait after `now`.
  void plan(const Rules& rules, const TicketPool& tickets, std::span<const Room> rooms,
            TimePoint now, const Budget& budget, Decision& out);

 private:
  class Call;
  struct Buffers;
  std::unique_ptr<Buffers> buffers_;
};

}  // namespace fixkeep::master::plan
