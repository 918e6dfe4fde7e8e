#include "master/core/claims/tickets.hpp"

#include "common/base/assert.hpp"

namespace fixkeep::master {

std::string ticket_prefix(MasterId self, Incarnation incarnation) {
  const auto creation = to_string(CreationId{{0, self}, 0, incarnation});
  return to_string(self) + "-" + creation.substr(creation.rfind('.') + 1) + "-";
}

void Tickets::add(TicketId ticket, ClaimNumber claim, TimePoint deadline) {
  const bool added = tickets_.emplace(ticket, Ticket{claim, deadline}).second;
  FIXKEEP_ASSERT(added, std::to_string(ticket.number()));
  deadlines_.add(deadline, ticket);
}

void Tickets::remove(TicketId ticket) {
  const auto at = tickets_.find(ticket);
  FIXKEEP_ASSERT(at != tickets_.end(), std::to_string(ticket.number()));
  deadlines_.remove(at->second.deadline, ticket);
  tickets_.erase(at);
}

std::optional<ClaimNumber> Tickets::claim_of(TicketId ticket) const {
  const auto at = tickets_.find(ticket);
  if (at == tickets_.end()) return std::nullopt;
  return at->second.claim;
}

}  // namespace fixkeep::master
