#include "tests/sim/pool_judge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "master/rules/plan/brings.hpp"
#include "tests/sim/violation.hpp"

namespace fixkeep::sim {
namespace {

using master::plan::Rules;
using master::plan::Widening;

constexpr std::int64_t most_number = std::numeric_limits<std::int64_t>::max();
constexpr Duration clocks_differ{100'000};
// From the gathering of a claim to the worker that hears of it.
constexpr Duration longest_decision{8'000'000};

Duration longest(Duration age) {
  return age + age / 10 + clocks_differ;
}
Duration shortest(Duration age) {
  return std::max(age - age / 10 - clocks_differ, Duration{});
}

std::string name_of(const WorkerNode& worker, const wire::RoomInfo& room) {
  return fmt::format("{} {} #{}", room.group.text(), worker.id.text(), room.number.number());
}

}  // namespace

PoolJudge::Ages PoolJudge::ages_of(const PlayerId& player) const {
  Ages ages;
  for (const auto& [ticket, wait] : waits_) {
    if (wait.ended != never && wait.ended + longest_decision < scheduler_.now()) continue;
    const auto& players = wait.players;
    if (std::find(players.begin(), players.end(), player) == players.end()) continue;
    ages.first = std::min(ages.first, wait.since);
    ages.last = std::max(ages.last, wait.read_at);
  }
  return ages;
}

void PoolJudge::master_takes(const MasterNode& master, const master::Event& event) {
  if (const auto* gone = std::get_if<master::RequestCancelled>(&event)) {
    ended(master, gone->ticket);
  }
  const auto* asked = std::get_if<master::MatchRequested>(&event);
  if (asked == nullptr) return;
  Wait wait{master.id, {asked->claim.player}, scheduler_.now(), scheduler_.now()};
  for (const PlayerId& player : asked->claim.party) wait.players.push_back(player);
  // Another request for the same may share the claim of the one before, and its waiting time.
  for (const auto& [ticket, other] : waits_) {
    const bool over = other.ended != never && other.ended + longest_decision < scheduler_.now();
    if (!over && ticket.first == master.incarnation && other.players == wait.players) {
      wait.since = std::min(wait.since, other.since);
    }
  }
  waits_[{master.incarnation, asked->ticket}] = std::move(wait);
}

void PoolJudge::ended(const MasterNode& master, TicketId ticket) {
  const auto at = waits_.find({master.incarnation, ticket});
  if (at != waits_.end() && at->second.ended == never) at->second.ended = scheduler_.now();
}

// The limit for somebody who has waited as long as can be.
std::int64_t PoolJudge::widest(const Ages& ages) const {
  const Rules& rules = *options_.rules;
  if (ages.first == never) return most_number;  // the answer is under way already
  return master::plan::limit_at(rules.distances[0].steps, longest(scheduler_.now() - ages.first));
}

std::int64_t PoolJudge::narrowest(const Ages& ages, SimTime at) const {
  if (ages.first == never || ages.last > at) return -1;
  return master::plan::limit_at(options_.rules->distances[0].steps, shortest(at - ages.last));
}

std::int64_t PoolJudge::number_of(std::string_view brought) const {
  const auto brings = master::plan::parse_brings(brought, *options_.rules);
  if (!brings) throw Violation::safety("a seat of a pool has nothing that its player brought");
  return brings->numbers[0];
}

std::optional<PoolJudge::Span> PoolJudge::span_of(const wire::RoomInfo& room,
                                                  const std::set<PlayerId>* only) const {
  std::optional<Span> span;
  for (std::size_t i = 0; i < room.players.size(); ++i) {
    if (only != nullptr && !only->contains(room.players[i])) continue;
    const std::int64_t number = number_of(room.brought.at(i));
    span = span ? Span{std::min(span->low, number), std::max(span->high, number)}
                : Span{number, number};
  }
  return span;
}

// --- what masters order --------------------------------------------------------------------------

void PoolJudge::master_stepped(const MasterNode& master, const master::Actions& actions) {
  std::map<Decision, std::vector<const wire::SpawnRoom*>> decisions;
  for (const master::Action& action : actions) {
    if (const auto* seated = std::get_if<master::Seated>(&action)) ended(master, seated->ticket);
    if (const auto* refused = std::get_if<master::Refused>(&action)) ended(master, refused->ticket);
    const auto* const send = std::get_if<master::SendToWorker>(&action);
    if (send == nullptr) continue;
    if (const auto* fence = std::get_if<wire::PrepareSpawn>(&send->message)) {
      fenced_at_[{fence->group, fence->token}] = scheduler_.now();
    } else if (const auto* asked = std::get_if<wire::SeatRequest>(&send->message)) {
      asked_.insert({asked->basis.value(), {send->worker, asked->room}});
    } else if (const auto* order = std::get_if<wire::SpawnRoom>(&send->message)) {
      decisions[{order->group, order->creation.token}].push_back(order);
    }
  }
  if (options_.faults.any()) return;
  for (const auto& [decision, orders] : decisions) judge_tight(orders);
}

void PoolJudge::judge_tight(const std::vector<const wire::SpawnRoom*>& orders) const {
  struct Sum {
    std::uint32_t players = 0;
    std::int64_t low = most_number;
    std::int64_t high = -most_number;
    Ages ages;
  };
  std::vector<Sum> sums;
  for (const wire::SpawnRoom* order : orders) {
    Sum& sum = sums.emplace_back();
    for (const wire::Claim& claim : order->claims) {
      const std::int64_t number = number_of(claim.brings);
      const Ages ages = ages_of(claim.player);
      sum.players += claim.seats();
      sum.low = std::min(sum.low, number);
      sum.high = std::max(sum.high, number);
      // Limits of the youngest are the narrowest, whoever's limit counts.
      sum.ages.first = std::min(sum.ages.first, ages.first);
      sum.ages.last = std::max(sum.ages.last, ages.first == never ? never : ages.last);
    }
  }
  for (std::size_t a = 0; a < sums.size(); ++a) {
    for (std::size_t b = a + 1; b < sums.size(); ++b) {
      if (sums[a].players + sums[b].players > options_.capacity) continue;
      const std::int64_t width = std::max(sums[a].high, sums[b].high) -  //
                                 std::min(sums[a].low, sums[b].low);
      const SimTime now = scheduler_.now();
      const std::int64_t limit =
          std::min(narrowest(sums[a].ages, now), narrowest(sums[b].ages, now));
      if (width > limit) continue;
      throw Violation::safety(fmt::format("J3: {} and {} could be one room",
                                          to_string(orders[a]->creation),
                                          to_string(orders[b]->creation)));
    }
  }
}

// --- what workers do -----------------------------------------------------------------------------

void PoolJudge::worker_stepped(const WorkerNode& worker) {
  auto& known = rooms_[worker.node];
  std::map<RoomNumber, RoomTruth> now;
  for (const wire::RoomInfo& room : worker.core->rooms()) {
    const auto before = known.find(room.number);
    const bool fresh = before == known.end();
    RoomTruth truth = fresh ? RoomTruth{{}, scheduler_.now(), SimTime{}} : before->second;
    const std::set<PlayerId> players(room.players.begin(), room.players.end());
    std::set<PlayerId> newcomers;
    std::set_difference(players.begin(), players.end(), truth.players.begin(), truth.players.end(),
                        std::inserter(newcomers, newcomers.end()));
    if (fresh && !players.empty()) judge_start(worker, room);
    if (!fresh && !newcomers.empty()) judge_newcomers(worker, room, truth.players);
    if (fresh && !options_.faults.any()) judge_need(worker, room);
    for (const PlayerId& player : newcomers) {
      if (!options_.faults.any()) judge_one_seat(worker, room, player);
    }
    if (players.size() < truth.players.size() + newcomers.size()) truth.freed = scheduler_.now();
    truth.players = players;
    now.emplace(room.number, std::move(truth));
  }
  known = std::move(now);
}

void PoolJudge::judge_start(const WorkerNode& worker, const wire::RoomInfo& room) const {
  const Rules& rules = *options_.rules;
  std::int64_t limit = rules.distances[0].widening == Widening::both ? most_number : -1;
  Duration oldest{};
  for (const PlayerId& player : room.players) {
    const Ages ages = ages_of(player);
    const std::int64_t own = widest(ages);
    limit =
        rules.distances[0].widening == Widening::both ? std::min(limit, own) : std::max(limit, own);
    oldest = std::max(
        oldest, ages.first == never ? Duration::max() : longest(scheduler_.now() - ages.first));
  }
  const std::int64_t width = span_of(room, nullptr).value().width();
  if (width > limit) {
    throw Violation::safety(fmt::format("J1: {} starts over {} points, beyond {}",
                                        name_of(worker, room), width, limit));
  }
  if (!rules.may_start(static_cast<std::uint32_t>(room.players.size()), oldest)) {
    throw Violation::safety(
        fmt::format("J1: {} starts with {}", name_of(worker, room), room.players.size()));
  }
}

void PoolJudge::judge_newcomers(const WorkerNode& worker, const wire::RoomInfo& room,
                                const std::set<PlayerId>& before) const {
  std::int64_t limit = -1;
  for (const PlayerId& player : room.players) {
    if (!before.contains(player)) limit = std::max(limit, widest(ages_of(player)));
  }
  const std::int64_t width = span_of(room, nullptr).value().width();
  const auto was = span_of(room, &before);
  if (!was || width <= std::max(limit, was->width())) return;
  throw Violation::safety(fmt::format("J1: {} takes newcomers over {} points, beyond {}",
                                      name_of(worker, room), width, limit));
}

void PoolJudge::judge_need(const WorkerNode& worker, const wire::RoomInfo& room) const {
  const auto fenced = fenced_at_.find({room.group, room.creation.token});
  if (fenced == fenced_at_.end()) return;
  const SimTime at = fenced->second;
  const bool parties = options_.parties > 0 || options_.rivals > 0;
  for (const auto& other : cluster_->workers()) {
    if (!other->core) continue;
    for (const wire::RoomInfo& each : other->core->rooms()) {
      const bool same = other->node == worker.node && each.number == room.number;
      const bool takes = each.phase == wire::RoomPhase::starting ||  //
                         each.phase == wire::RoomPhase::open;
      if (same || each.group != room.group || !takes) continue;
      const auto truths = rooms_.find(other->node);
      if (truths == rooms_.end()) continue;
      const auto truth = truths->second.find(each.number);
      if (truth == truths->second.end()) continue;
      if (truth->second.born >= at || truth->second.freed >= at) continue;
      // Fills of the same decision may have left no room for others, by seats or by numbers.
      if (asked_.contains({room.creation.token, {other->id, each.number}})) continue;
      const auto taken = static_cast<std::uint32_t>(each.players.size());
      constexpr std::uint32_t largest_party = 4;
      if (taken + (parties ? largest_party : 1) > each.capacity) continue;
      const auto span = span_of(each, nullptr);
      for (std::size_t i = 0; span && i < room.players.size(); ++i) {
        const std::int64_t number = number_of(room.brought.at(i));
        const std::int64_t width = std::max(span->high, number) - std::min(span->low, number);
        if (width > narrowest(ages_of(room.players[i]), at)) continue;
        throw Violation::safety(fmt::format("J2: {} could have joined {} instead of {}",
                                            room.players[i].text(), name_of(*other, each),
                                            name_of(worker, room)));
      }
    }
  }
}

void PoolJudge::judge_one_seat(const WorkerNode& worker, const wire::RoomInfo& room,
                               const PlayerId& player) const {
  for (const auto& other : cluster_->workers()) {
    if (!other->core) continue;
    for (const wire::RoomInfo& each : other->core->rooms()) {
      const bool same = other->node == worker.node && each.number == room.number;
      if (same || each.group != room.group || each.phase == wire::RoomPhase::closed) continue;
      if (std::find(each.players.begin(), each.players.end(), player) == each.players.end())
        continue;
      throw Violation::safety(fmt::format("J4: {} has seats in {} and {}", player.text(),
                                          name_of(*other, each), name_of(worker, room)));
    }
  }
}

}  // namespace fixkeep::sim
