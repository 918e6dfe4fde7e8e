#include "master/core/pools/shadow.hpp"

#include <algorithm>

namespace fixkeep::master {
namespace {

struct Span {
  bool empty = true;
  std::array<std::int64_t, plan::numbers_most> low{};
  std::array<std::int64_t, plan::numbers_most> high{};

  void add(const plan::Ticket& ticket, std::size_t numbers) {
    for (std::size_t n = 0; n < numbers; ++n) {
      const std::int64_t mean = plan::mean_of(ticket, n);
      low.at(n) = empty ? mean : std::min(low.at(n), mean);
      high.at(n) = empty ? mean : std::max(high.at(n), mean);
    }
    empty = false;
  }
  [[nodiscard]] std::array<std::int64_t, plan::numbers_most> width() const {
    std::array<std::int64_t, plan::numbers_most> width{};
    for (std::size_t n = 0; n < width.size(); ++n) width.at(n) = high.at(n) - low.at(n);
    return width;
  }
};

Span span_of(const plan::Room& room) {
  const bool empty = std::all_of(room.teams.begin(), room.teams.end(),
                                 [](const plan::RoomTeam& team) { return team.players == 0; });
  return empty ? Span{} : Span{false, room.low, room.high};
}

}  // namespace

Shadow::Spreads Shadow::spreads_of(const plan::Rules& rules, const plan::TicketPool& tickets,
                                   const std::vector<plan::Room>& rooms,
                                   const plan::Decision& decision) {
  std::vector<const plan::Ticket*> by_id;
  tickets.each([&](const plan::Ticket& ticket) { by_id.push_back(&ticket); });
  std::sort(by_id.begin(), by_id.end(), [](const auto* a, const auto* b) { return a->id < b->id; });
  const auto ticket_of = [&](TicketId id) -> const plan::Ticket& {
    return **std::lower_bound(by_id.begin(), by_id.end(), id,
                              [](const auto* each, TicketId wanted) { return each->id < wanted; });
  };
  Spreads spreads;
  for (const plan::Order& order : decision.orders) {
    Span span;
    for (std::uint32_t i = order.first; i < order.first + order.count; ++i) {
      span.add(ticket_of(decision.placed[i].ticket), rules.numbers.size());
    }
    for (std::uint32_t i = order.first; i < order.first + order.count; ++i) {
      spreads[decision.placed[i].ticket] = span.width();
    }
  }
  std::map<std::uint64_t, Span> filled;  // key: plan::Room::id
  for (const plan::Room& room : rooms) filled[room.id] = span_of(room);
  for (const plan::Fill& fill : decision.fills) {
    filled.at(fill.room).add(ticket_of(fill.ticket), rules.numbers.size());
  }
  for (const plan::Fill& fill : decision.fills) {
    spreads[fill.ticket] = filled.at(fill.room).width();
  }
  return spreads;
}

Shadow::ClaimKey Shadow::key_of(const plan::Ticket& ticket, const Decided& decided) {
  const Gathering::Lender& lender = decided.gathering.lender(ticket.id);
  return {lender.master, lender.ticket};
}

// Sorts and merges the claims and does not look up each claim, because thousands of claims wait
// through many decisions.
Shadow::Claims Shadow::keep(Pool& pool, const Decided& decided) {
  std::vector<std::pair<ClaimKey, std::size_t>> order;  // claims, and their places by age
  Claims claims;
  decided.tickets.each([&](const plan::Ticket& ticket) {
    if (claims.size() == claims_most) return;
    order.emplace_back(key_of(ticket, decided), claims.size());
    claims.push_back({&ticket, nullptr});
  });
  std::sort(order.begin(), order.end());
  std::vector<Known> kept;
  kept.reserve(order.size());
  auto before = pool.claims.begin();
  for (const auto& [key, place] : order) {
    while (before != pool.claims.end() && before->key < key) ++before;
    const bool known = before != pool.claims.end() && before->key == key;
    kept.push_back({key, known ? before->seen : Seen{}});
    claims[place].seen = &kept.back().seen;
  }
  pool.claims = std::move(kept);
  return claims;
}

Shadow::Spreads Shadow::plan(Pool& pool, const plan::Rules& rules, const Claims& claims,
                             const Decided& decided, ShadowCounts& counts) {
  const std::uint64_t most = glances_most / (decided.rooms.size() + 1);
  bool all = claims.size() == decided.tickets.size();
  plan::TicketPool tickets;
  for (const Claim& claim : claims) {
    if (claim.seen->seated) continue;
    if (tickets.size() < most) {
      tickets.insert(*claim.ticket);
    } else {
      all = false;
    }
  }
  std::vector<plan::Room> rooms = decided.rooms;
  if (!rules.latency) {
    for (plan::Room& room : rooms) room.region = 0;
  }
  plan::Budget budget;
  budget.work = work_most;
  if (pool.next) budget.from = decided.gathering.cursor(*pool.next);
  if (rules.latency) budget.regions = decided.regions;
  planner_.plan(rules, tickets, rooms, decided.now, budget, plan_);
  pool.next.reset();
  if (plan_.next) pool.next = decided.gathering.lender(plan_.next->id);
  ++counts.plans;
  if (!all || plan_.next) ++counts.unfinished;
  return spreads_of(rules, tickets, rooms, plan_);
}

void Shadow::count(const Seen& seen, bool now, Duration waited, const Spread& live,
                   ShadowCounts& counts) {
  counts.live.waits.add(waited);
  counts.live.waited.add(waited);
  if (!seen.seated) {
    ++counts.not_yet;
    return;
  }
  ++(now ? counts.same_decision : counts.earlier);
  counts.shadow.waits.add(seen.waited);
  counts.shadow.waited.add(seen.waited);
  for (std::size_t n = 0; n < live.size(); ++n) {
    counts.live.spread.at(n) += static_cast<std::uint64_t>(live.at(n));
    counts.shadow.spread.at(n) += static_cast<std::uint64_t>(seen.spread.at(n));
  }
}

void Shadow::look(const GroupKey& key, const plan::Rules& rules, const Decided& decided,
                  ShadowCounts& counts) {
  Pool& pool = pools_[key];
  const Claims claims = keep(pool, decided);
  const Spreads shadow = plan(pool, rules, claims, decided, counts);
  const Spreads live = spreads_of(rules, decided.tickets, decided.rooms, decided.live);
  for (const Claim& claim : claims) {
    const auto now = shadow.find(claim.ticket->id);
    const auto seated = live.find(claim.ticket->id);
    if (now == shadow.end() && seated == live.end()) continue;
    Seen& seen = *claim.seen;
    const Duration waited = decided.now - claim.ticket->since;
    if (now != shadow.end()) seen = {seen.counted, true, waited, now->second};
    if (seated == live.end() || seen.counted) continue;
    seen.counted = true;
    count(seen, now != shadow.end(), waited, seated->second, counts);
  }
}

void Shadow::link_broke(MasterId lender) {
  for (auto& [key, pool] : pools_) {
    std::erase_if(pool.claims, [&](const Known& each) { return each.key.first == lender; });
  }
}

std::size_t Shadow::claims() const {
  std::size_t all = 0;
  for (const auto& [key, pool] : pools_) all += pool.claims.size();
  return all;
}

}  // namespace fixkeep::master
