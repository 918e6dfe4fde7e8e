// The unanswered requests, each with its claim and its client's deadline.
//
// Invariant: a ticket is here from its request until it is answered or cancelled.
// Thread rule: a value, one owner. Bounds: MasterOptions::waiting_requests, kept by the owner.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <unordered_map>

#include "common/base/ids.hpp"
#include "common/base/time.hpp"
#include "master/core/groups/claim.hpp"
#include "master/core/groups/schedule.hpp"

namespace fixkeep::master {

// A ticket's public name is this and its number. It is unique for all time: it has the master's run
// in the form of a creation id's.
[[nodiscard]] std::string ticket_prefix(MasterId self, Incarnation incarnation);
[[nodiscard]] inline std::string ticket_text(const std::string& prefix, TicketId ticket) {
  return prefix + std::to_string(ticket.number());
}

class Tickets {
 public:
  // REQUIRES: the ticket is not here.
  void add(TicketId ticket, ClaimNumber claim, TimePoint deadline);
  // REQUIRES: the ticket is here.
  void remove(TicketId ticket);

  // Nothing if the ticket was answered in the meantime.
  [[nodiscard]] std::optional<ClaimNumber> claim_of(TicketId ticket) const;
  // The first ticket past its deadline, or null. Valid until something changes.
  [[nodiscard]] const TicketId* due(TimePoint now) const { return deadlines_.due(now); }
  [[nodiscard]] TimePoint next_deadline() const { return deadlines_.next(); }
  [[nodiscard]] std::size_t size() const { return tickets_.size(); }

 private:
  struct Ticket {
    ClaimNumber claim = 0;
    TimePoint deadline;
  };
  std::unordered_map<TicketId, Ticket> tickets_;
  Schedule<TicketId> deadlines_;
};

}  // namespace fixkeep::master
