#include "master/http/tickets/held_tickets.hpp"

#include "common/base/assert.hpp"

namespace fixkeep::master {

std::string_view to_string(TicketState state) {
  switch (state) {
    case TicketState::waiting: return "waiting";
    case TicketState::matched: return "matched";
    case TicketState::ready: return "ready";
    case TicketState::cancelled: return "cancelled";
    case TicketState::expired: return "expired";
    case TicketState::failed: return "failed";
  }
  return "";
}

HeldTicket* HeldTickets::find(const std::string& id) {
  const auto at = tickets_.find(id);
  return at == tickets_.end() ? nullptr : &at->second;
}

HeldTicket* HeldTickets::of_request(TicketId request) {
  const auto at = by_request_.find(request);
  return at == by_request_.end() ? nullptr : find(at->second);
}

HeldTicket* HeldTickets::waiting_of(const ModeName& mode, const std::vector<PlayerId>& players) {
  for (const PlayerId& player : players) {
    const auto at = by_player_.find({mode, player});
    if (at != by_player_.end()) return find(at->second);
  }
  return nullptr;
}

std::optional<HeldTicket*> HeldTickets::to_go_for(const ClientAddress& client) {
  if (waiting() < most_held) return nullptr;
  const auto own = by_client_.find(client);
  const std::size_t would_have = own == by_client_.end() ? 1 : own->second.size() + 1;
  const auto& [most, loser] = *most_first_.rbegin();
  if (most <= would_have) return std::nullopt;
  return of_request(*by_client_.at(loser).begin());
}

HeldTicket& HeldTickets::add(HeldTicket&& ticket) {
  const std::string id = ticket.claims.id;
  const auto [at, added] = tickets_.try_emplace(id, std::move(ticket));
  FIXKEEP_ASSERT(added, id);
  const HeldTicket& held = at->second;
  by_request_.emplace(held.request, id);
  for (const PlayerId& player : held.players) by_player_.emplace(std::pair{held.mode, player}, id);
  auto& requests = by_client_[held.client];
  requests.insert(held.request);
  count(held.client, requests.size() - 1, requests.size());
  due_.add(held.due, id);
  return at->second;
}

void HeldTickets::end(HeldTicket& ticket, TicketState state) {
  stop_waiting(ticket);
  ticket.state = state;
  ticket.ended_as = ++last_ended_;
  ended_.emplace(ticket.ended_as, ticket.claims.id);
  if (ended_.size() > most_ended) erase(*find(ended_.begin()->second));
}

void HeldTickets::set_due(HeldTicket& ticket, TimePoint at) {
  due_.remove(ticket.due, ticket.claims.id);
  ticket.due = at;
  due_.add(at, ticket.claims.id);
}

void HeldTickets::erase(HeldTicket& ticket) {
  if (waits(ticket.state)) stop_waiting(ticket);
  ended_.erase(ticket.ended_as);
  due_.remove(ticket.due, ticket.claims.id);
  const std::string id = ticket.claims.id;
  tickets_.erase(id);
}

HeldTicket* HeldTickets::due(TimePoint now) {
  const std::string* id = due_.due(now);
  return id == nullptr ? nullptr : find(*id);
}

void HeldTickets::stop_waiting(const HeldTicket& ticket) {
  by_request_.erase(ticket.request);
  for (const PlayerId& player : ticket.players) by_player_.erase({ticket.mode, player});
  const auto at = by_client_.find(ticket.client);
  at->second.erase(ticket.request);
  const std::size_t left = at->second.size();
  count(ticket.client, left + 1, left);
  if (left == 0) by_client_.erase(at);
}

void HeldTickets::count(const ClientAddress& client, std::size_t before, std::size_t now) {
  most_first_.erase({before, client});
  if (now > 0) most_first_.emplace(now, client);
}

}  // namespace fixkeep::master
