#include "tests/sim/pool_judge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "master/rules/plan/brings.hpp"
#include "tests/sim/violation.hpp"

namespace fixkeep::sim {
namespace {

using master::plan::Rules;
using master::plan::Ticket;
using master::plan::Widening;

constexpr std::int64_t most_number = std::numeric_limits<std::int64_t>::max();
// From the gathering of a claim to the worker that hears of it.
constexpr Duration longest_decision{8'000'000};

Duration longest(Duration age) {
  return age + age / 10 + PoolJudge::clocks_differ;
}

}  // namespace

std::string PoolJudge::name_of(const WorkerNode& worker, const wire::RoomInfo& room) {
  return fmt::format("{} {} #{}", room.group.text(), worker.id.text(), room.number.number());
}

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
  const SimTime now = scheduler_.now();
  Wait wait{master.id, {asked->claim.player}, now, now};
  if (asked->since) wait.since = std::min(now, master.clock.when(*asked->since));
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
    if (const auto* told = std::get_if<master::SendToPeer>(&action)) note_gather(master, *told);
    const auto* const send = std::get_if<master::SendToWorker>(&action);
    if (send == nullptr) continue;
    if (const auto* fence = std::get_if<wire::PrepareSpawn>(&send->message)) {
      fenced_[{fence->group, fence->token}] = {scheduler_.now(),
                                               on_the_way(fence->group, fence->token.master)};
    } else if (const auto* asked = std::get_if<wire::SeatRequest>(&send->message)) {
      asked_.insert({asked->basis.value(), {send->worker, asked->room}});
    } else if (const auto* order = std::get_if<wire::SpawnRoom>(&send->message)) {
      decisions[{order->group, order->creation.token}].push_back(order);
    }
  }
  for (const auto& [decision, orders] : decisions) judge_tight(orders);
}

void PoolJudge::note_gather(const MasterNode& master, const master::SendToPeer& told) {
  const auto* of_pool = std::get_if<wire::PoolMessage>(&told.message);
  const auto* gather = of_pool ? std::get_if<wire::Gather>(of_pool) : nullptr;
  if (gather != nullptr) gathered_at_[{gather->pool, master.id}] = scheduler_.now();
}

Duration PoolJudge::on_the_way(const GroupKey& pool, MasterId holder) const {
  const auto at = gathered_at_.find({pool, holder});
  return at == gathered_at_.end() ? Duration{} : scheduler_.now() - at->second;
}

// --- what workers do -----------------------------------------------------------------------------

void PoolJudge::worker_stepped(const WorkerNode& worker) {
  auto& known = rooms_[worker.node];
  std::map<RoomNumber, RoomTruth> now;
  for (const wire::RoomInfo& room : worker.rooms) {
    if (wire::is_warm_pool(room.group)) continue;
    const auto before = known.find(room.number);
    const bool fresh = before == known.end();
    const bool opens = !fresh && before->second.stage == RoomStage::no_newcomers &&
                       room.stage != RoomStage::no_newcomers;
    if (!fresh) before->second.stage = room.stage;
    if (opens) before->second.freed = scheduler_.now();
    if (!fresh && before->second.listed == room.players) {
      now.insert(known.extract(before));
      continue;
    }
    RoomTruth truth = fresh ? RoomTruth{{}, {}, 0, scheduler_.now(), {}, {}, {}} : before->second;
    const std::set<PlayerId> players(room.players.begin(), room.players.end());
    std::set<PlayerId> newcomers;
    std::set_difference(players.begin(), players.end(), truth.players.begin(), truth.players.end(),
                        std::inserter(newcomers, newcomers.end()));
    if (fresh && !players.empty()) judge_start(worker, room);
    if (!fresh && !newcomers.empty()) judge_newcomers(worker, room, truth);
    if (!newcomers.empty()) judge_parties(worker, room);
    if (!newcomers.empty()) judge_company(worker, room, newcomers);
    if (fresh && reaches_all()) judge_need(worker, room);
    for (const PlayerId& player : newcomers) {
      if (reaches_all()) judge_one_seat(worker, room, player);
    }
    for (const PlayerId& player : truth.players) {
      if (!players.contains(player)) truth.left[player] = truth.freed = scheduler_.now();
    }
    truth.stage = room.stage;
    truth.gap = gap_of(teams_of(room));
    truth.players = players;
    truth.listed = room.players;
    now.emplace(room.number, std::move(truth));
  }
  known = std::move(now);
}

std::vector<PoolJudge::Team> PoolJudge::teams_of(const wire::RoomInfo& room) const {
  std::vector<Team> teams(options_.rules->team_count());
  for (const std::string& brought : room.brought) {
    const auto brings = master::plan::parse_brings(brought, *options_.rules);
    if (!brings) throw Violation::safety("a seat of a pool has nothing that its player brought");
    Team& team = teams.at(brings->team);
    ++team.players;
    team.sum += brings->numbers[0];
    team.roles.push_back(brings->roles);
  }
  return teams;
}

std::int64_t PoolJudge::gap_of(const std::vector<Team>& teams) const {
  if (!options_.rules->teams || !options_.rules->teams->number) return 0;
  const auto by_sum = [](const Team& a, const Team& b) { return a.sum < b.sum; };
  const auto [least, most] = std::minmax_element(teams.begin(), teams.end(), by_sum);
  return most->sum - least->sum;
}

// No team is larger than it may be, and whoever came together plays together.
void PoolJudge::judge_parties(const WorkerNode& worker, const wire::RoomInfo& room) const {
  for (const Team& team : teams_of(room)) {
    if (team.players <= options_.rules->team_size()) continue;
    throw Violation::safety(
        fmt::format("J1: {} has a team of {}", name_of(worker, room), team.players));
  }
  if (options_.rivals > 0) return;  // who came with whom cannot be told
  std::map<PlayerId, std::uint32_t> teams;
  for (std::size_t i = 0; i < room.players.size(); ++i) {
    teams[room.players[i]] =
        master::plan::parse_brings(room.brought.at(i), *options_.rules).value().team;
  }
  for (const auto& [ticket, wait] : waits_) {
    std::set<std::uint32_t> of_party;
    for (const PlayerId& player : wait.players) {
      if (const auto at = teams.find(player); at != teams.end()) of_party.insert(at->second);
    }
    if (of_party.size() < 2) continue;
    throw Violation::safety(fmt::format("J1: {} splits the party of {}", name_of(worker, room),
                                        wait.players.front().text()));
  }
}

void PoolJudge::judge_company(const WorkerNode& worker, const wire::RoomInfo& room,
                              const std::set<PlayerId>& newcomers) const {
  const Rules& rules = *options_.rules;
  for (const Team& team : teams_of(room)) {
    if (test::roles_suffice(rules, team.roles)) continue;
    throw Violation::safety(fmt::format("J1: {} has no roles for all", name_of(worker, room)));
  }
  if (!rules.avoid) return;
  const auto refuse = [&](const PlayerId& player, const PlayerId& other) {
    throw Violation::safety(fmt::format("J1: in {} is {}, who avoids {}", name_of(worker, room),
                                        player.text(), other.text()));
  };
  for (const PlayerId& newcomer : newcomers) {
    const Ages ages = ages_of(newcomer);
    const auto claim = options_.rivals > 0 ? std::nullopt : claim_of(newcomer);
    const bool heeds = claim && claim->front() == newcomer && ages.first != never &&
                       longest(scheduler_.now() - ages.first) < rules.avoid->until;
    const auto own = heeds ? avoided_by(newcomer) : std::vector<PlayerId>{};
    for (std::size_t i = 0; i < room.players.size(); ++i) {
      const PlayerId& other = room.players[i];
      if (std::find(own.begin(), own.end(), other) != own.end()) refuse(newcomer, other);
      const auto avoids = master::plan::parse_brings(room.brought.at(i), rules).value().avoids;
      const auto hash = master::plan::avoidable(newcomer);
      if (std::find(avoids.begin(), avoids.end(), hash) != avoids.end()) refuse(other, newcomer);
    }
  }
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
  if (!rules.teams) return;
  const std::vector<Team> teams = teams_of(room);
  for (const Team& team : teams) {
    if (team.players == teams.front().players) continue;
    throw Violation::safety(fmt::format("J1: {} starts with teams of {} and {}",
                                        name_of(worker, room), teams.front().players,
                                        team.players));
  }
  if (const std::int64_t gap = gap_of(teams); gap > rules.teams->difference) {
    throw Violation::safety(
        fmt::format("J1: {} starts with teams {} points apart", name_of(worker, room), gap));
  }
}

void PoolJudge::judge_newcomers(const WorkerNode& worker, const wire::RoomInfo& room,
                                const RoomTruth& before) const {
  // A player whose seat was given back meanwhile sat there when the holder decided.
  std::set<PlayerId> sat = before.players;
  for (const auto& [player, at] : before.left) {
    if (at + longest_decision > scheduler_.now()) sat.insert(player);
  }
  std::int64_t limit = -1;
  for (const PlayerId& player : room.players) {
    if (!sat.contains(player)) limit = std::max(limit, widest(ages_of(player)));
  }
  const std::int64_t width = span_of(room, nullptr).value().width();
  const auto was = span_of(room, &sat);
  if (was && width > std::max(limit, was->width())) {
    throw Violation::safety(fmt::format("J1: {} takes newcomers over {} points, beyond {}",
                                        name_of(worker, room), width, limit));
  }
  // Somebody may have left since the decision, whose team has less now.
  if (!options_.rules->teams || before.freed + longest_decision > scheduler_.now()) return;
  const std::int64_t gap = gap_of(teams_of(room));
  if (gap <= std::max(options_.rules->teams->difference, before.gap)) return;
  throw Violation::safety(fmt::format("J1: {} takes newcomers whose teams are {} points apart",
                                      name_of(worker, room), gap));
}

void PoolJudge::judge_one_seat(const WorkerNode& worker, const wire::RoomInfo& room,
                               const PlayerId& player) const {
  for (const auto& other : cluster_->workers()) {
    if (!other->core) continue;
    for (const wire::RoomInfo& each : other->rooms) {
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
