#include "tests/sim/matches.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tests/sim/violation.hpp"

namespace fixkeep::sim {
namespace {

constexpr int most_repeats = 6;
constexpr Duration longest_pause{3'000'000};

wire::Claim claim_of(const wire::MatchFacts& facts) {
  wire::Claim claim;
  for (const wire::MatchPlayer& each : facts.players) claim.party.push_back(each.player);
  claim.player = claim.party.front();
  claim.party.erase(claim.party.begin());
  claim.match = facts;
  return claim;
}

}  // namespace

Matches::Matches(const Options& options, Scheduler& scheduler, Cluster*& cluster)
    : options_(options),
      scheduler_(scheduler),
      cluster_(cluster),
      random_(options.seed ^ 0x3a7c4e5U) {
  for (std::uint32_t i = 0; i < options.matches; ++i) {
    Match made;
    const std::string id = "m" + std::to_string(i);
    made.group = wire::match_group_of(id);
    wire::MatchFacts body;
    body.told = GroupKey{"told"};
    body.teams_hash = 1;
    const std::uint64_t players = 1 + random_.below(std::min<std::uint64_t>(options.capacity, 12));
    for (std::uint64_t p = 0; p < players; ++p) {
      body.players.push_back({PlayerId{id + ".p" + std::to_string(p)}, p % 2 == 0 ? "a" : "b", {}});
    }
    made.bodies.assign(2, body);
    made.bodies[1].teams_hash = 2;
    if (random_.chance(0.5)) made.bodies[1].players.front().player = PlayerId{id + ".other"};
    matches_.push_back(std::move(made));
  }
}

void Matches::start() {
  for (std::size_t i = 0; i < matches_.size(); ++i) {
    const Duration at = options_.arrive_after + Duration{random_.between(0, 5'000'000)};
    ask_after(at, i, most_repeats);
    if (random_.chance(0.5)) ask_after(at, i, 0);  // at the same instant, maybe at another master
  }
}

void Matches::ask_once_more() {
  for (std::size_t i = 0; i < matches_.size(); ++i) ask(i, 1);
}

MasterNode* Matches::any_master() {
  MasterNode& master = *cluster_->masters()[random_.below(options_.masters)];
  return master.inbox.running() ? &master : nullptr;
}

void Matches::ask(std::size_t index, int more) {
  const Match& match = matches_[index];
  const bool other = random_.chance(0.2);
  send(index, match.bodies[other ? 1 : 0], std::nullopt);
  if (match.room && random_.chance(0.3)) join(index);
  if (match.room && random_.chance(0.2)) leave(index);
  if (more == 0) return;
  ask_after(Duration{random_.between(10'000, longest_pause.count())}, index, more - 1);
}

void Matches::ask_after(Duration time, std::size_t match, int more) {
  ++under_way_;
  scheduler_.after(time, [this, match, more] {
    --under_way_;
    ask(match, more);
  });
}

void Matches::join(std::size_t index) {
  Match& match = matches_[index];
  wire::MatchFacts facts;
  facts.told = GroupKey{"told"};
  facts.joins = true;
  const std::uint64_t players = 1 + random_.below(3);
  for (std::uint64_t p = 0; p < players && p < options_.capacity; ++p) {
    facts.players.push_back(
        {PlayerId{match.group.text() + ".late" + std::to_string(match.newcomers++)}, "a", {}});
  }
  send(index, facts, match.room);
}

void Matches::leave(std::size_t index) {
  MasterNode* master = any_master();
  const Match& match = matches_[index];
  if (master == nullptr) return;
  const TicketId ticket{++master->tickets};
  const PlayerId& player = match.bodies[0].players.back().player;
  leaving_[{master->incarnation, ticket}] = {*match.room, player};
  cluster_->tell(*master, master::SeatsLeft{ticket, *match.room, {player}, true});
}

void Matches::send(std::size_t index, const wire::MatchFacts& facts, std::optional<RoomId> room) {
  MasterNode* found = any_master();
  if (found == nullptr) return;
  MasterNode& master = *found;
  const TicketId ticket{++master.tickets};
  master.inbox.deliver([this, &master, ticket, index, facts, room] {
    master::MatchRequested event;
    event.ticket = ticket;
    event.group = matches_[index].group;
    event.mode = options_.mode(0);
    event.capacity = options_.capacity;
    event.claim = claim_of(facts);
    event.room = room;
    event.deadline = master.clock.at(scheduler_.now()) + options_.request_wait;
    asked_[{master.incarnation, ticket}] = {index, facts, scheduler_.now()};
    cluster_->tell(master, std::move(event));
  });
}

const wire::RoomInfo* Matches::alive(const RoomId& room) const {
  for (const auto& worker : cluster_->workers()) {
    if (worker->id != room.worker || !worker->core) continue;
    if (worker->incarnation != room.incarnation) return nullptr;
    const auto found = std::ranges::find(worker->rooms, room.number, &wire::RoomInfo::number);
    return found == worker->rooms.end() ? nullptr : &*found;
  }
  return nullptr;
}

bool Matches::seated(const MasterNode& master, const master::Seated& seated) {
  const auto found = asked_.find({master.incarnation, seated.ticket});
  if (found == asked_.end()) return false;
  Asked& asked = found->second;
  if (std::exchange(asked.answered, true)) throw Violation::safety("a match is answered twice");
  ++answered_;
  Match& match = matches_[asked.match];
  const std::string name = match.group.text();
  judge_players(asked, seated, name);
  const wire::RoomInfo* room = alive(seated.room);
  if (room != nullptr && (!room->match || room->group != match.group)) {
    throw Violation::safety(name + " is answered with a room of something else");
  }
  if (room != nullptr && !asked.facts.joins && !room->match->same_body(asked.facts)) {
    throw Violation::safety(name + ": two bodies got one room");
  }
  const bool other = match.room && *match.room != seated.room;
  if (other && one_room_each() && alive(*match.room) != nullptr) {
    throw Violation::safety(name + ": the answer differs at another master");
  }
  match.room = seated.room;
  return true;
}

// An answer lacks only players that were taken off the list, and each whose leave was answered
// before the master was asked.
void Matches::judge_players(const Asked& asked, const master::Seated& seated,
                            const std::string& name) {
  for (const wire::MatchPlayer& each : asked.facts.players) {
    const bool answered = std::ranges::find(seated.players, each.player) != seated.players.end();
    if (!answered && !ever_left_.contains(each.player)) {
      throw Violation::safety(name + " is answered without " + each.player.text());
    }
    const auto left = left_.find(each.player);
    const bool off = !asked.facts.joins && left != left_.end() && left->second < asked.at;
    if (answered && off && one_room_each()) {
      throw Violation::safety(name + " is answered with " + each.player.text() + ", who has left");
    }
  }
  if (seated.players.size() > asked.facts.players.size()) {
    throw Violation::safety(name + " is answered for other players");
  }
}

void Matches::note_list(const wire::MatchFacts& now, const wire::MatchFacts& before) {
  for (const wire::MatchPlayer& each : before.players) {
    if (now.find(each.player) == nullptr) ever_left_.insert(each.player);
  }
  for (const wire::MatchPlayer& each : now.players) left_.erase(each.player);
}

void Matches::master_stepped(const MasterNode& master, const master::Actions& actions) {
  for (const master::Action& action : actions) {
    const auto* left = std::get_if<master::SeatsGivenBack>(&action);
    if (left == nullptr) continue;
    const auto found = leaving_.extract({master.incarnation, left->ticket});
    if (found.empty()) throw Violation::safety("a player's leave is answered twice");
    const auto& [room, player] = found.mapped();
    const wire::RoomInfo* info = alive(room);
    if (info != nullptr && info->match && info->match->find(player) != nullptr) {
      throw Violation::safety(player.text() + " is told to have left, and is still on the list");
    }
    left_[player] = scheduler_.now();
  }
}

bool Matches::refused(const MasterNode& master, const master::Refused& refused) {
  if (leaving_.erase({master.incarnation, refused.ticket}) > 0) return true;
  const auto found = asked_.find({master.incarnation, refused.ticket});
  if (found == asked_.end()) return false;
  if (std::exchange(found->second.answered, true)) {
    throw Violation::safety("a match is answered twice");
  }
  return true;
}

bool Matches::runs(Incarnation master) const {
  return std::ranges::any_of(cluster_->masters(), [&](const auto& each) {
    return each->inbox.running() && each->incarnation == master;
  });
}

bool Matches::at_rest() const {
  const auto leaves = [&](const auto& entry) { return runs(entry.first.first); };
  const auto waits = [&](const auto& entry) {
    return !entry.second.answered && runs(entry.first.first);
  };
  return under_way_ == 0 && std::ranges::none_of(asked_, waits) &&
         std::ranges::none_of(leaving_, leaves);
}

bool Matches::one_room_each() const {
  return options_.strategy != "none" && !options_.faults.in_workers() &&
         !options_.faults.scripted_naps && options_.faults.longest_nap().count() == 0;
}

void Matches::note_room(const WorkerNode& worker, RoomNumber room, const GroupKey& group,
                        const wire::MatchFacts& match) {
  kept_[{worker.node, room}] = {match, match};
  note_list(match, match);
  const auto ours =
      std::ranges::find_if(matches_, [&](const Match& each) { return each.group == group; });
  if (ours == matches_.end())
    throw Violation::safety("a room of an unknown match: " + group.text());
  if (one_room_each() && ours->opened > 0) {
    throw Violation::safety(ours->group.text() + " is forgotten: it gets another room");
  }
}

void Matches::worker_stepped(const WorkerNode& worker, const worker::Actions& actions) {
  if (matches_.empty()) return;
  for (const worker::Action& action : actions) {
    if (const auto* start = std::get_if<worker::StartProcess>(&action); start && start->match) {
      note_room(worker, start->room, start->group, *start->match);
    } else if (const auto* given = std::get_if<worker::RoomGiven>(&action); given && given->match) {
      note_room(worker, given->room, given->group, *given->match);
    } else if (const auto* told = std::get_if<worker::TellMatch>(&action)) {
      Kept& kept = kept_[{worker.node, told->room}];
      kept.before = std::exchange(kept.facts, told->match);
      note_list(kept.facts, kept.before);
    } else if (const auto* adopted = std::get_if<worker::AdoptProcess>(&action)) {
      const auto known = kept_.find({worker.node, adopted->as.room});
      if (known == kept_.end()) continue;
      const auto& match = adopted->as.match;
      const bool lost = !match || (*match != known->second.facts && *match != known->second.before);
      if (lost) throw Violation::safety(worker.id.text() + " adopts a room without its teams");
      known->second.facts = *match;
      note_list(*match, *match);
    }
  }
  for (const wire::RoomInfo& room : worker.rooms) {
    if (!wire::is_match(room.group)) continue;
    const std::string name = fmt::format("{} #{}", worker.id.text(), room.number.number());
    const auto known = kept_.find({worker.node, room.number});
    if (!room.match || known == kept_.end()) throw Violation::safety(name + " has lost its match");
    if (room.match->players != known->second.facts.players) {
      throw Violation::safety(name + " has other teams than its game was told");
    }
    if (room.match->players.size() > room.capacity) {
      throw Violation::safety(name + ": players joined beyond its capacity");
    }
    if (!wire::has_opened(room.phase) || std::exchange(known->second.opened, true)) continue;
    for (Match& match : matches_) match.opened += match.group == room.group ? 1 : 0;
  }
}

void Matches::worker_crashed(const WorkerNode& worker) {
  std::erase_if(kept_, [&](const auto& entry) { return entry.first.first == worker.node; });
}

void Matches::judge_end() const {
  for (const auto& [key, asked] : asked_) {
    if (asked.answered || !runs(key.first)) continue;
    throw Violation::liveness(matches_[asked.match].group.text() + " is never answered");
  }
}

}  // namespace fixkeep::sim
