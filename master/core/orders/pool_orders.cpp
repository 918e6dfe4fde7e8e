#include "master/core/orders/pool_orders.hpp"

#include <algorithm>
#include <type_traits>
#include <utility>
#include <variant>

#include "common/base/assert.hpp"
#include "master/core/directory/teams.hpp"
#include "master/core/orders/pool_rooms.hpp"
#include "master/core/pools/claim_brings.hpp"
#include "master/core/pools/explanations.hpp"
#include "master/core/seam/each_player.hpp"
#include "master/core/seats/answers.hpp"
#include "master/rules/plan/brings.hpp"

namespace fixkeep::master {
namespace {

// Messages about a hold must come from the holder itself. Otherwise loans could outlive the
// holder's link.
bool speaks_for_another(MasterId peer, const wire::PoolMessage& message) {
  return std::visit(
      [&](const auto& said) {
        constexpr bool answer = std::is_same_v<decltype(said), const wire::ClaimsPart&>;
        return !answer && said.hold.master != peer;
      },
      message);
}

}  // namespace

// --- the other masters ---------------------------------------------------------------------------

void PoolOrders::peer_up(MasterId peer, Step& step) {
  peer_down(peer, step);
  peers_.insert(peer);
  for (wire::ClaimsSeated& seated : told_seats_.to_repeat(peer, step.now)) {
    step.out.emplace_back(SendToPeer{peer, wire::PoolMessage{std::move(seated)}});
  }
}

void PoolOrders::peer_down(MasterId peer, Step& step) {
  if (peers_.erase(peer) == 0) return;
  lending_.link_broke(peer, step);
  shadow_.link_broke(peer);
  told_seats_.link_broke(peer, step.now);
  for (auto& [key, decision] : decisions_) {
    decision.gathering.gone(peer);
    decision.closes.erase(peer);
    groups_.mark(key);
  }
}

void PoolOrders::renew_shadows(const ShadowRules& before) {
  const ShadowRules& now = options_.modes.shadows;
  if (before == now) return;
  shadow_ = {};
  auto counted = std::exchange(counters_.shadows, {});
  for (const auto& [mode, rules] : now) {
    const auto same = before.find(mode);
    const bool goes_on = same != before.end() && same->second == rules;
    counters_.shadows[mode] = goes_on ? std::move(counted[mode]) : ShadowCounts{};
    counters_.shadows[mode].numbers = rules->numbers;
  }
}

void PoolOrders::said(MasterId peer, wire::PoolMessage&& message, Step& step) {
  if (!peers_.contains(peer)) return;
  if (speaks_for_another(peer, message)) {
    step.out.emplace_back(ClosePeerLink{peer});
    return;
  }
  if (const auto* gather = std::get_if<wire::Gather>(&message)) {
    pace_.works();
    for (wire::ClaimsPart& part : lending_.lend(*gather, peer, step.now)) {
      step.out.emplace_back(SendToPeer{peer, wire::PoolMessage{std::move(part)}});
    }
  } else if (const auto* part = std::get_if<wire::ClaimsPart>(&message)) {
    heard(peer, *part, step);
  } else if (const auto* seated = std::get_if<wire::ClaimsSeated>(&message)) {
    lending_.seated(*seated, step);
  } else {
    lending_.closed(std::get<wire::CloseLoan>(message), step);
  }
}

void PoolOrders::heard(MasterId peer, const wire::ClaimsPart& part, Step& step) {
  const auto at = decisions_.find(part.pool);
  if (at != decisions_.end() && !at->second.decided) hear_part(at->second, peer, part, step);
  groups_.mark(part.pool);
}

void PoolOrders::hear_part(Decision& decision, MasterId from, const wire::ClaimsPart& part,
                           Step& step) {
  const Group* pool = groups_.find(part.pool);
  if (pool == nullptr) return;
  const plan::Rules& rules = *pool->rooms->rules;
  ClaimsPart heard{part.hold, part.index, part.last, {}};
  for (const wire::LentClaim& lent : part.claims) {
    // A master with other rules may send values that these rules do not know. The claim is left
    // out.
    const auto brings = plan::parse_brings(lent.claim.brings, rules);
    if (!brings) continue;
    plan::Ticket ticket;
    ticket.id = TicketId{lent.number};
    ticket.passed = lent.passed;
    ticket.no_backfill = lent.claim.no_backfill;
    ticket.latency_ms.fill(plan::unmeasured);
    if (brings->latency_ms) ticket.latency_ms = *brings->latency_ms;
    ticket.avoids = brings->avoids;
    if (!add_members(lent.claim, *brings, rules, ticket)) continue;
    heard.claims.push_back({std::move(ticket), lent.waited, lent.claim, lent.avoid, lent.asked});
  }
  if (decision.gathering.heard(from, std::move(heard), step.now) == Gathering::Heard::broken) {
    step.out.emplace_back(ClosePeerLink{from});
  }
}

void PoolOrders::tell(MasterId lender, wire::PoolMessage&& message, Step& step) {
  if (lender != options_.self) {
    step.out.emplace_back(SendToPeer{lender, std::move(message)});
  } else if (const auto* seated = std::get_if<wire::ClaimsSeated>(&message)) {
    lending_.seated(*seated, step);
  } else {
    lending_.closed(std::get<wire::CloseLoan>(message), step);
  }
}

// --- the hold ------------------------------------------------------------------------------------

void PoolOrders::begin(Group& pool, FencingToken hold, Step& step) {
  const auto [at, fresh] = decisions_.try_emplace(pool.key);
  FIXKEEP_ASSERT(fresh, pool.key.text());
  Decision& decision = at->second;
  pace_.hold_begins(pool.key, step.now);
  decision.hold = hold;
  decision.gather_until = step.now + patience;
  std::vector<MasterId> masters{options_.self};
  if (!options_.alone()) masters.insert(masters.end(), peers_.begin(), peers_.end());
  decision.gathering.begin(hold, masters);
  const wire::Gather gather{pool.key, hold};
  for (const MasterId master : masters) {
    decision.closes[master] = {pool.key, hold, {}, false, {}};
    if (master == options_.self) continue;
    step.out.emplace_back(SendToPeer{master, wire::PoolMessage{gather}});
  }
  for (const wire::ClaimsPart& part : lending_.lend(gather, options_.self, step.now)) {
    hear_part(decision, options_.self, part, step);
  }
  groups_.mark_at(decision.gather_until, pool);
}

bool PoolOrders::gathered(const Group& pool, TimePoint now) {
  const auto at = decisions_.find(pool.key);
  if (at == decisions_.end()) return true;
  if (now >= at->second.gather_until) at->second.gathering.give_up_waiting();
  return at->second.gathering.complete();
}

bool PoolOrders::undecided(const Group& pool) const {
  const auto at = decisions_.find(pool.key);
  return at != decisions_.end() && !at->second.decided;
}

void PoolOrders::hold_ended(const Group& pool, Step& step) {
  const auto at = decisions_.find(pool.key);
  if (at == decisions_.end()) return;
  // If this hold has not decided, the masters are told to try again soon with a later hold.
  for (auto& [master, loan] : at->second.closes) loan.again = loan.again || !at->second.decided;
  at->second.decided = true;
  if (at->second.unanswered == 0) close(pool.key, step);
}

void PoolOrders::close(const GroupKey& pool, Step& step) {
  const auto node = decisions_.extract(pool);
  for (auto& [master, loan] : node.mapped().closes) tell(master, std::move(loan), step);
  groups_.mark(pool);
}

// --- the decision --------------------------------------------------------------------------------

std::uint32_t PoolOrders::decide(Group& pool, const hold::OrderRooms& orders, Step& step) {
  Decision& decision = decisions_.at(pool.key);
  pace_.works();
  decision.decided = true;
  decision.gathering.give_up_waiting();
  Asks asks;
  const plan::TicketPool tickets = to_plan(pool, decision, step.now, asks);
  std::vector<RoomId> ids;
  const std::vector<plan::Room> rooms = rooms_of(pool, directory_, ids);
  plan::Budget budget;
  if (const auto before = goes_on_at_.extract(pool.key)) {
    budget.from = decision.gathering.cursor(before.mapped());
  }
  const Regions regions = regions_of(pool, directory_, orders_.open_zones(pool));
  if (regions.open != 0) budget.regions = regions.open;
  planner_.plan(*pool.rooms->rules, tickets, rooms, step.now, budget, plan_);
  if (plan_.next) goes_on_at_[pool.key] = decision.gathering.lender(plan_.next->id);
  explain(pool, decision, tickets, rooms, budget.regions, step.now);
  for (const plan::Fill& fill : plan_.fills) {
    add(asks[ids.at(fill.room)], pool, decision.gathering, fill.ticket, fill.team, step.now);
  }
  for (const TicketId id : plan_.passed) {
    const Gathering::Lender& lender = decision.gathering.lender(id);
    const auto loan = decision.closes.find(lender.master);
    if (loan != decision.closes.end()) loan->second.passed.push_back(lender.ticket.number());
  }
  for (auto& [room, seats] : asks) ask(pool, room, std::move(seats), orders, step);
  std::vector<RoomOrders::PoolRoom> wanted = planned_rooms(pool, decision.gathering, step.now);
  const std::size_t many = wanted.size();
  const std::uint32_t ordered = orders_.order(pool, std::move(wanted), orders, step);
  // While a region is full, claims without seats are planned again soon: no event reports that the
  // region has capacity again.
  const bool without = regions.full != 0 && !plan_.reasons.empty();
  const bool incomplete = ordered < many || plan_.next.has_value() || without;
  for (auto& [master, loan] : decision.closes) {
    loan.again = incomplete || !decision.gathering.counts(master);
  }
  decision.unanswered = static_cast<std::uint32_t>(asks.size()) + ordered;
  if (const auto at = options_.modes.shadows.find(pool.rooms->mode);
      at != options_.modes.shadows.end()) {
    shadow_.look(pool.key, *at->second,
                 {tickets, rooms, budget.regions, plan_, decision.gathering, step.now},
                 counters_.shadows.at(at->first));
  }
  return decision.unanswered;
}

void PoolOrders::explain(const Group& pool, Decision& decision, const plan::TicketPool& tickets,
                         const std::vector<plan::Room>& rooms, std::uint32_t regions,
                         TimePoint now) {
  const auto before = explained_at_.find(pool.key);
  const bool oldest = before == explained_at_.end() || now >= before->second + explaining_pace;
  if (oldest) explained_at_[pool.key] = now;
  for (auto& [master, told] : explain_waiting(*pool.rooms->rules, tickets, rooms, regions, plan_,
                                              decision.gathering, oldest, now)) {
    const auto loan = decision.closes.find(master);
    if (loan != decision.closes.end()) loan->second.explained = std::move(told);
  }
}

plan::TicketPool PoolOrders::to_plan(const Group& pool, Decision& decision, TimePoint now,
                                     Asks& asks) {
  const plan::TicketPool gathered = decision.gathering.tickets();
  std::vector<const plan::Ticket*> oldest_first;
  gathered.each([&](const plan::Ticket& ticket) { oldest_first.push_back(&ticket); });
  std::stable_sort(oldest_first.begin(), oldest_first.end(),
                   [](const auto* a, const auto* b) { return a->since < b->since; });
  plan::TicketPool tickets;
  std::set<PlayerId> named;  // players of earlier claims
  for (const plan::Ticket* ticket : oldest_first) {
    const wire::Claim& claim = decision.gathering.lender(ticket->id).claim;
    std::map<RoomId, std::uint32_t> sit;  // number of the claim's players in each room
    bool waits = false;
    each_player(claim, [&](const PlayerId& player) {
      waits = waits || named.contains(player);
      directory_.each_seat(player, [&](const Room& room) {
        if (room.group == pool.key) ++sit[room.id];
      });
    });
    // Finds the room where all players of the claim have seats. If only some of them have seats, or
    // not in one room, the claim is left to its own master (one_seat.hpp).
    const auto all = std::find_if(sit.begin(), sit.end(),
                                  [&](const auto& room) { return room.second == claim.seats(); });
    if (waits || (all == sit.end() && !sit.empty())) continue;
    each_player(claim, [&](const PlayerId& player) { named.insert(player); });
    if (sit.empty()) {
      tickets.insert(*ticket);
      continue;
    }
    // Names the player's present team: if the seat's reservation ends before the worker is asked,
    // the worker reserves a new seat in this team.
    auto team = team_in(*directory_.find(all->first), claim.player);
    if (team && *team >= pool.rooms->rules->team_count()) team.reset();
    add(asks[all->first], pool, decision.gathering, ticket->id, team, now);
  }
  return tickets;
}

void PoolOrders::add(Seats& seats, const Group& pool, Gathering& gathering, TicketId id,
                     std::optional<std::uint32_t> team, TimePoint now) const {
  const plan::Rules& rules = *pool.rooms->rules;
  wire::Claim claim = gathering.lender(id).claim;
  const bool heeds = rules.avoid && now - gathering.lender(id).since < rules.avoid->until;
  claim.brings = seat_text(claim.brings, rules, team, heeds);
  for (std::string& each : claim.party_brings) each = seat_text(each, rules, team, heeds);
  claim.lineup = lineup_of(claim, rules);
  gathering.set_team(id, team ? *team + 1 : 0);
  seats.seats += claim.seats();
  seats.claims.push_back(std::move(claim));
  seats.lent.push_back(id);
}

std::vector<RoomOrders::PoolRoom> PoolOrders::planned_rooms(const Group& pool, Gathering& gathering,
                                                            TimePoint now) const {
  std::vector<RoomOrders::PoolRoom> rooms;
  for (const plan::Order& order : plan_.orders) {
    Seats seats;
    RoomOrders::PoolRoom& room = rooms.emplace_back();
    if (const auto& latency = pool.rooms->rules->latency) {
      room.zone = ZoneName{latency->regions.at(order.region)};
    }
    for (std::uint32_t i = order.first; i < order.first + order.count; ++i) {
      const plan::Placed& placed = plan_.placed[i];
      const Gathering::Lender& lender = gathering.lender(placed.ticket);
      add(seats, pool, gathering, placed.ticket, placed.team, now);
      if (room.avoid.empty()) room.avoid = lender.avoid;
      if (lender.master != options_.self || !room.client.empty()) continue;
      const Waiting* waiting = claims_.find(lender.ticket.number());
      if (waiting != nullptr) room.client = waiting->askers->client;
    }
    room.claims = std::move(seats.claims);
    room.lent = std::move(seats.lent);
  }
  return rooms;
}

void PoolOrders::ask(Group& pool, const RoomId& room, Seats&& seats, const hold::OrderRooms& orders,
                     Step& step) {
  ++counters_.seat_requests;
  counters_.claims_sent += seats.claims.size();
  SeatQuestion question{
      room, {}, seats.seats, step.now, std::move(seats.lent), pool.lock->hold.number()};
  for (const wire::Claim& claim : seats.claims) question.players.push_back(players_of(claim));
  wire::SeatRequest message{0, room.number, std::move(seats.claims), orders.basis};
  message.request = questions_.put({&pool, room.worker, std::move(question)}, step.now,
                                   directory_.find(room.worker)->patience(options_.worker_reply));
  step.out.emplace_back(SendToWorker{room.worker, std::move(message)});
}

// --- answers -------------------------------------------------------------------------------------

void PoolOrders::one_answered(const GroupKey& pool, Step& step) {
  Decision& decision = decisions_.at(pool);
  if (--decision.unanswered == 0) close(pool, step);
}

template <class About>
void PoolOrders::tell_seated(const Group& pool, const About& about,
                             const std::vector<bool>& reserved, wire::ClaimsSeated&& seated,
                             Step& step) {
  Decision& decision = decisions_.at(pool.key);
  seated.pool = pool.key;
  seated.hold = decision.hold;
  seated.mode = pool.rooms->mode;
  seated.capacity = pool.rooms->capacity;
  std::map<MasterId, wire::ClaimsSeated> by_lender;
  for (std::size_t i = 0; i < about.lent.size(); ++i) {
    // If the link to the lending master has broken meanwhile, the loan has ended. The claim has
    // perhaps ended, too, so its seats are given back.
    if (!decision.gathering.knows(about.lent[i])) {
      if (reserved[i]) {
        lost_seats_.give_back(seated.room, std::vector{about.players[i]}, seated.reservation, step);
      }
      continue;
    }
    const Gathering::Lender& lender = decision.gathering.lender(about.lent[i]);
    if (reserved[i]) {
      wire::ClaimsSeated& message = by_lender.try_emplace(lender.master, seated).first->second;
      message.claims.push_back(lender.ticket.number());
      message.teams.push_back(lender.team);
    } else {
      decision.closes.at(lender.master).again = true;
    }
  }
  for (auto& [master, message] : by_lender) {
    if (master != options_.self) told_seats_.told(master, message, step.now);
    tell(master, std::move(message), step);
  }
}

bool PoolOrders::answered(const QuestionAbout<SeatQuestion>& question, const wire::SeatReply& reply,
                          Step& step) {
  const SeatQuestion& asked = question.about;
  counters_.seat_replies.add(step.now - asked.asked_at);
  const auto flags = reserved_flags(reply.granted, asked.lent.size());
  if (!flags || reply.room != asked.room.number) {
    not_served(*question.group, asked.lent, step);
    return false;
  }
  directory_.seats_reserved(asked.room, reply);
  // A player that had a seat keeps its team, even if this decision names another team.
  Gathering& gathering = decisions_.at(question.group->key).gathering;
  for (std::size_t i = 0; i < asked.lent.size(); ++i) {
    const bool is_new =
        std::ranges::find(reply.seated, asked.players[i].front()) != reply.seated.end();
    if (!is_new && gathering.knows(asked.lent[i])) gathering.set_team(asked.lent[i], 0);
  }
  wire::ClaimsSeated seated;
  seated.room = asked.room;
  seated.reservation = reply.reservation;
  seated.granted_at = reply.granted_at;
  seated.reserved_for = reply.reserved_for;
  tell_seated(*question.group, asked, *flags, std::move(seated), step);
  one_answered(question.group->key, step);
  return true;
}

void PoolOrders::room_started(const QuestionAbout<OrderQuestion>& question, const RoomId& room,
                              const wire::SpawnReply& reply, const std::vector<bool>& reserved,
                              Step& step) {
  wire::ClaimsSeated seated;
  seated.room = room;
  seated.reservation = reply.reservation;
  seated.granted_at = reply.granted_at;
  seated.reserved_for = reply.reserved_for;
  tell_seated(*question.group, question.about, reserved, std::move(seated), step);
  one_answered(question.group->key, step);
}

void PoolOrders::not_served(const Group& pool, const std::vector<TicketId>& lent, Step& step) {
  Decision& decision = decisions_.at(pool.key);
  for (const TicketId id : lent) {
    if (!decision.gathering.knows(id)) continue;
    decision.closes.at(decision.gathering.lender(id).master).again = true;
  }
  one_answered(pool.key, step);
}

}  // namespace fixkeep::master
