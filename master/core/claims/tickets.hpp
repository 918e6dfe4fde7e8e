// The unanswered requests, each with its claim and its client's deadline.
//
// Invariant: a ticket is in the table from its request until its answer or its cancellation.
// Thread rule: a value, one owner. Bounds: at most MasterOptions::waiting_requests tickets; the
// owner ensures this.
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

// The public name of a ticket is this prefix and its number. The prefix contains the master's run,
// as a creation id does. No two tickets therefore have the same name.
[[nodiscard]] std::string ticket_prefix(MasterId self, Incarnation incarnation);
[[nodiscard]] inline std::string ticket_text(const std::string& prefix, TicketId ticket) {
  return prefix + std::to_string(ticket.number());
}

class Tickets {
 public:
  // REQUIRES: the ticket is not in the table.
  void add(TicketId ticket, ClaimNumber claim, TimePoint deadline);
  // REQUIRES: the ticket is in the table.
  void remove(TicketId ticket);

  // Returns the claim of the ticket; nothing if the ticket is already answered.
  [[nodiscard]] std::optional<ClaimNumber> claim_of(TicketId ticket) const;
  // Returns the first ticket past its deadline, or null. The pointer is valid until the table
  // changes.
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
