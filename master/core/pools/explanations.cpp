#include "master/core/pools/explanations.hpp"

#include <algorithm>
#include <limits>

#include "common/wire/limits.hpp"
#include "master/rules/plan/explain.hpp"
#include "master/rules/plan/waiting.hpp"

namespace fixkeep::master {
namespace {

static_assert(plan::refusers_most == wire::limits::refusers);
static_assert(plan::roles_most == wire::limits::roles);

std::chrono::milliseconds until(TimePoint at, TimePoint now) {
  const auto in = std::chrono::ceil<std::chrono::milliseconds>(at - now);
  constexpr std::chrono::milliseconds most{std::numeric_limits<std::uint32_t>::max()};
  return std::clamp(in, std::chrono::milliseconds{0}, most);
}

wire::Explained in_words_of_the_wire(const plan::Explanation& explanation, TicketId claim,
                                     std::size_t roles, TimePoint now) {
  wire::Explained out;
  out.number = claim.number();
  out.tickets = explanation.tickets;
  out.rooms = explanation.rooms;
  out.meets = explanation.meets;
  for (std::uint32_t by = 0; by < plan::refusers_most; ++by) {
    const auto& refused = explanation.refused[by];
    if (refused.tickets + refused.rooms == 0) continue;
    out.refused.push_back({by, refused.tickets, refused.rooms});
  }
  if (explanation.nearest) {
    const auto& nearest = *explanation.nearest;
    auto& made = out.nearest.emplace();
    made.by = static_cast<std::uint32_t>(nearest.by);
    made.room = nearest.room;
    made.beyond = static_cast<std::uint64_t>(nearest.beyond);
    if (nearest.at) made.in = until(*nearest.at, now);
  }
  out.players_missing = explanation.players_missing;
  if (explanation.enough_at) out.enough_in = until(*explanation.enough_at, now);
  const auto& missing = explanation.roles_missing;
  out.roles_missing.assign(missing.begin(), missing.begin() + static_cast<std::ptrdiff_t>(roles));
  out.regions_full = explanation.regions_full;
  return out;
}

void take_seats(const plan::Rules& rules, const plan::Ticket& ticket, std::uint32_t team,
                TimePoint now, plan::Room& room) {
  const auto taken = [](const plan::RoomTeam& each) { return each.players > 0; };
  const bool inside = std::any_of(room.teams.begin(), room.teams.end(), taken);
  plan::RoomTeam& own = room.teams.at(team);
  const auto players = static_cast<std::uint32_t>(ticket.members.size());
  own.players += players;
  own.free -= players;
  if (rules.teams && rules.teams->number) own.sum += ticket.sums.at(*rules.teams->number);
  for (std::size_t n = 0; n < rules.numbers.size(); ++n) {
    const std::int64_t mean = plan::mean_of(ticket, n);
    room.low.at(n) = inside ? std::min(room.low.at(n), mean) : mean;
    room.high.at(n) = inside ? std::max(room.high.at(n), mean) : mean;
  }
  for (const plan::Member& member : ticket.members) {
    room.players.push_back(member.player);
    if (!rules.roles.empty()) own.roles.push_back(member.roles);
  }
  if (!rules.avoid || now - ticket.since >= rules.avoid->until) return;
  room.avoided.insert(room.avoided.end(), ticket.avoids.begin(), ticket.avoids.end());
}

// Returns the tickets that the decision does not seat and does not refuse. Adds the tickets with
// seats in existing rooms to `rooms`.
plan::TicketPool those_left(const plan::Rules& rules, const plan::TicketPool& tickets,
                            const plan::Decision& decision, TimePoint now,
                            std::vector<plan::Room>& rooms) {
  std::map<TicketId, const plan::Fill*> gone;
  for (const plan::Placed& placed : decision.placed) gone[placed.ticket] = nullptr;
  for (const plan::Reason& refused : decision.refused) gone[refused.ticket] = nullptr;
  for (const plan::Fill& fill : decision.fills) gone[fill.ticket] = &fill;
  std::map<std::uint64_t, plan::Room*> by_id;
  for (plan::Room& room : rooms) by_id[room.id] = &room;
  plan::TicketPool left;
  tickets.each([&](const plan::Ticket& ticket) {
    const auto at = gone.find(ticket.id);
    if (at == gone.end()) {
      left.insert(ticket);
    } else if (at->second != nullptr) {
      take_seats(rules, ticket, at->second->team, now, *by_id.at(at->second->room));
    }
  });
  return left;
}

}  // namespace

ExplainedByLender explain_waiting(const plan::Rules& rules, const plan::TicketPool& tickets,
                                  std::vector<plan::Room> rooms, std::uint32_t regions,
                                  const plan::Decision& decision, const Gathering& gathering,
                                  bool oldest, TimePoint now) {
  ExplainedByLender told;
  if (!oldest && !gathering.anybody_asked()) return told;
  const plan::TicketPool left = those_left(rules, tickets, decision, now, rooms);
  if (left.size() == 0) return told;
  plan::Waiting waiting;
  waiting.load(rules, left, now);
  std::vector<plan::Rank> ranks(waiting.size());
  for (plan::Rank rank = 0; rank < ranks.size(); ++rank) ranks[rank] = rank;
  const auto others = std::stable_partition(ranks.begin(), ranks.end(), [&](plan::Rank rank) {
    return gathering.lender(waiting[rank].ticket->id).asked;
  });
  if (!oldest) ranks.erase(others, ranks.end());
  const std::uint64_t looks = 2 * waiting.size() + rooms.size();
  const auto most = std::min<std::uint64_t>(
      {explaining_looks_most / looks, wire::limits::explained, ranks.size()});
  for (std::size_t i = 0; i < most; ++i) {
    const Gathering::Lender& lender = gathering.lender(waiting[ranks[i]].ticket->id);
    told[lender.master].push_back(
        in_words_of_the_wire(plan::explain(rules, waiting, rooms, ranks[i], now, regions),
                             lender.ticket, rules.roles.size(), now));
  }
  return told;
}

}  // namespace fixkeep::master
