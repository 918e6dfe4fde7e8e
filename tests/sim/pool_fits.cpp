// Which claims could have played together, or in a room that there was: J2, J3 and, at rest, J5.
#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "master/rules/plan/brings.hpp"
#include "tests/sim/pool_judge.hpp"
#include "tests/sim/violation.hpp"

namespace fixkeep::sim {
namespace {

// So many claims that are left are tried in sets of so many.
constexpr std::size_t left_most = 14;
constexpr std::size_t set_most = 4;

Duration shortest(Duration age) {
  return std::max(age - age / 10 - PoolJudge::clocks_differ, Duration{});
}

std::vector<PlayerId> players_of(const wire::Claim& claim) {
  std::vector<PlayerId> players{claim.player};
  players.insert(players.end(), claim.party.begin(), claim.party.end());
  return players;
}

// Whoever is added first asks for all.
void add_member(const PlayerId& player, const master::plan::Rules& rules,
                master::plan::Ticket& ticket) {
  const bool asks = ticket.members.empty();
  ticket.members.push_back({master::plan::avoidable(player), roles_of(player, asks, rules)});
  if (!asks) return;
  for (const PlayerId& other : avoided_by(player)) {
    ticket.avoids.push_back(master::plan::avoidable(other));
  }
}

// The first set of these that fits, beginning with `set`.
bool some_set_fits(const test::PlanCase& now, const std::vector<master::plan::Ticket>& tickets,
                   std::size_t from, test::TicketSet& set) {
  if (!set.empty() && test::set_fits(now, set)) return true;
  if (set.size() == set_most) return false;
  for (std::size_t i = from; i < tickets.size(); ++i) {
    set.push_back(&tickets[i]);
    if (some_set_fits(now, tickets, i + 1, set)) return true;
    set.pop_back();
  }
  return false;
}

}  // namespace

std::optional<master::plan::Ticket> PoolJudge::youngest(const std::vector<PlayerId>& players,
                                                        std::int64_t number, SimTime at,
                                                        Duration on_the_way) const {
  master::plan::Ticket ticket;
  SimTime last{};
  for (const PlayerId& player : players) {
    const Ages ages = ages_of(player);
    if (ages.first == never || ages.last > at) return std::nullopt;
    last = std::max(last, ages.last);
    add_member(player, *options_.rules, ticket);
    ticket.sums[0] += number;
  }
  const Duration age = options_.faults.any() ? Duration{} : shortest(at - last - on_the_way);
  ticket.since = TimePoint{at - age};
  return ticket;
}

void PoolJudge::judge_tight(const std::vector<const wire::SpawnRoom*>& orders) const {
  struct Made {
    const wire::SpawnRoom* order = nullptr;
    std::vector<master::plan::Ticket> tickets;
    std::uint32_t players = 0;
    bool known = true;
  };
  std::vector<Made> all;
  std::uint64_t numbers = 0;
  const auto& first = *orders.front();
  const Duration late = on_the_way(first.group, first.creation.token.master);
  for (const wire::SpawnRoom* order : orders) {
    Made& made = all.emplace_back();
    made.order = order;
    for (const wire::Claim& claim : order->claims) {
      made.players += claim.seats();
      auto ticket = youngest(players_of(claim), number_of(claim.brings), scheduler_.now(), late);
      made.known = made.known && ticket;
      if (!ticket) break;
      ticket->id = TicketId{++numbers};
      made.tickets.push_back(*std::move(ticket));
    }
  }
  const test::PlanCase now{*options_.rules, {}, {}, TimePoint{scheduler_.now()}};
  for (std::size_t a = 0; a < all.size(); ++a) {
    for (std::size_t b = a + 1; b < all.size(); ++b) {
      if (!all[a].known || !all[b].known) continue;
      if (all[a].players + all[b].players > options_.capacity) continue;
      test::TicketSet both;
      for (const master::plan::Ticket& ticket : all[a].tickets) both.push_back(&ticket);
      for (const master::plan::Ticket& ticket : all[b].tickets) both.push_back(&ticket);
      if (!test::set_fits(now, both)) continue;
      throw Violation::safety(fmt::format("J3: {} and {} could be one room",
                                          to_string(all[a].order->creation),
                                          to_string(all[b].order->creation)));
    }
  }
}

std::optional<std::vector<PlayerId>> PoolJudge::claim_of(const PlayerId& player) const {
  const std::vector<PlayerId>* found = nullptr;
  for (const auto& [ticket, wait] : waits_) {
    const auto& players = wait.players;
    if (std::find(players.begin(), players.end(), player) == players.end()) continue;
    if (found != nullptr && *found != players) return std::nullopt;
    found = &players;
  }
  return found == nullptr ? std::nullopt : std::optional{*found};
}

test::LiveRoom PoolJudge::as_live(const wire::RoomInfo& room) const {
  test::LiveRoom live{{}, test::TicketTeams(options_.rules->team_count())};
  for (const Team& team : teams_of(room)) {
    live.room.teams.push_back(
        {team.players, options_.rules->team_size() - team.players, team.sum, team.roles});
  }
  for (std::size_t i = 0; i < room.players.size(); ++i) {
    live.room.players.push_back(master::plan::avoidable(room.players[i]));
    const auto brings = master::plan::parse_brings(room.brought.at(i), *options_.rules);
    const auto& avoids = brings.value().avoids;
    live.room.avoided.insert(live.room.avoided.end(), avoids.begin(), avoids.end());
  }
  for (const Want& said : room.wants) {
    auto& want = live.room.wants.emplace_back();
    want.players = said.players;
    if (!said.team.empty()) want.team = 0;
    if (!said.role.empty()) want.roles = 1;
  }
  if (const auto span = span_of(room, nullptr)) {
    live.room.low[0] = span->low;
    live.room.high[0] = span->high;
  }
  return live;
}

void PoolJudge::judge_need(const WorkerNode& worker, const wire::RoomInfo& room) const {
  const auto fenced = fenced_.find({room.group, room.creation.token});
  if (fenced == fenced_.end()) return;
  const auto [at, late] = fenced->second;
  const test::PlanCase then{*options_.rules, {}, {}, TimePoint{at}};
  std::vector<std::pair<PlayerId, master::plan::Ticket>> tickets;
  for (std::size_t i = 0; i < room.players.size(); ++i) {
    const auto claim = claim_of(room.players[i]);
    auto ticket = claim ? youngest(*claim, number_of(room.brought.at(i)), at, late) : std::nullopt;
    if (ticket) tickets.emplace_back(room.players[i], *std::move(ticket));
  }
  for (const auto& other : cluster_->workers()) {
    if (!other->core) continue;
    for (const wire::RoomInfo& each : other->rooms) {
      const bool same = other->node == worker.node && each.number == room.number;
      const bool takes =
          each.stage != RoomStage::no_newcomers && (each.phase == wire::RoomPhase::starting ||  //
                                                    each.phase == wire::RoomPhase::open);
      if (same || each.group != room.group || !takes || each.players.empty()) continue;
      const auto truths = rooms_.find(other->node);
      if (truths == rooms_.end()) continue;
      const auto truth = truths->second.find(each.number);
      if (truth == truths->second.end()) continue;
      if (truth->second.born >= at || truth->second.freed >= at) continue;
      // Fills of the same decision may have left no room for others, by seats or by numbers.
      if (asked_.contains({room.creation.token, {other->id, each.number}})) continue;
      const test::LiveRoom live = as_live(each);
      for (const auto& [player, ticket] : tickets) {
        if (!test::takes(then, live, ticket)) continue;
        throw Violation::safety(fmt::format("J2: {} could have joined {} instead of {}",
                                            player.text(), name_of(*other, each),
                                            name_of(worker, room)));
      }
    }
  }
}

std::map<PlayerId, std::size_t> PoolJudge::all_seated() const {
  std::map<PlayerId, std::size_t> seated;
  for (const auto& worker : cluster_->workers()) {
    if (!worker->core) continue;
    for (const wire::RoomInfo& room : worker->rooms) {
      for (const PlayerId& player : room.players) ++seated[player];
    }
  }
  return seated;
}

std::set<std::string> PoolJudge::could_play(
    const std::vector<std::pair<GroupKey, wire::Claim>>& claims) const {
  // All limits are as wide as they get.
  const test::PlanCase late{*options_.rules, {}, {}, TimePoint{std::chrono::hours{1}}};
  std::map<GroupKey, std::vector<master::plan::Ticket>> by_pool;
  std::set<std::string> found;
  // A player plays once. Of several claims for it only one is planned for, whichever that is.
  std::map<PlayerId, std::size_t> named = all_seated();
  for (const auto& [pool, claim] : claims) {
    for (const PlayerId& player : players_of(claim)) ++named[player];
  }
  for (const auto& [pool, claim] : claims) {
    const std::vector<PlayerId> players = players_of(claim);
    const auto several = [&](const PlayerId& player) { return named.at(player) > 1; };
    if (std::any_of(players.begin(), players.end(), several)) continue;
    auto& tickets = by_pool[pool];
    master::plan::Ticket ticket;
    ticket.id = TicketId{tickets.size() + 1};
    const std::int64_t number = number_of(brings_of(claim, *options_.rules));
    for (const PlayerId& player : players) {
      add_member(player, *options_.rules, ticket);
      ticket.sums[0] += number;
    }
    for (const auto& worker : cluster_->workers()) {
      if (!worker->core) continue;
      for (const wire::RoomInfo& room : worker->rooms) {
        if (room.group != pool || room.phase != wire::RoomPhase::open) continue;
        if (room.stage == RoomStage::no_newcomers) continue;
        if (room.players.empty() || !test::takes(late, as_live(room), ticket)) continue;
        found.insert(fmt::format("{} could join {} {}", claim.player.text(), worker->id.text(),
                                 room.number.number()));
      }
    }
    if (tickets.size() < left_most) tickets.push_back(std::move(ticket));
  }
  for (const auto& [pool, tickets] : by_pool) {
    test::TicketSet set;
    if (!some_set_fits(late, tickets, 0, set)) continue;
    found.insert(fmt::format("some of those left in {} could play together", pool.text()));
  }
  return found;
}

}  // namespace fixkeep::sim
