#include "tests/sim/clients.hpp"

#include <algorithm>
#include <string>

#include "tests/sim/violation.hpp"

namespace fixkeep::sim {
namespace {

// A client learns that its master died; longer than news of a seat takes to reach the others.
constexpr std::int64_t retry_least_us = 100'000;
constexpr std::int64_t retry_most_us = 500'000;

// A master may be late by what one step of its loop costs, never more.
constexpr Duration deadline_slack{50'000};

}  // namespace

Clients::Clients(const Options& options, Scheduler& scheduler, Random& random, Cluster*& cluster)
    : options_(options), scheduler_(scheduler), random_(random), cluster_(cluster) {
  for (std::size_t i = 0; i < options.players; ++i) make_player(i);
}

void Clients::make_player(std::size_t index) {
  Player made;
  const std::string name = "p" + std::to_string(index);
  made.claim.player = PlayerId{name};
  made.group = GroupKey{"g" + std::to_string(random_.below(options_.groups))};
  if (random_.chance(options_.parties)) {
    const std::int64_t most = std::min<std::int64_t>(options_.capacity, 4) - 1;
    for (std::int64_t i = random_.between(1, most); i > 0; --i) {
      made.claim.party.emplace_back(name + "." + std::to_string(i));
    }
  }
  made.hangs_up = random_.chance(options_.hang_ups);
  made.never_claims = random_.chance(options_.never_claims);
  players_.push_back(std::move(made));
}

void Clients::start() {
  for (std::size_t i = 0; i < players_.size(); ++i) {
    const Duration at{random_.between(0, options_.arrive_within.count())};
    scheduler_.after(options_.arrive_after + at, [this, i] { ask(i); });
  }
}

// --- asking
// ---------------------------------------------------------------------------------------

void Clients::ask(std::size_t index) {
  Player& player = players_[index];
  if (player.state == PlayerState::gone) return;
  player.state = PlayerState::waiting;
  player.master = random_.below(options_.masters);
  player.ticket = TicketId{};
  if (player.attempt == 0) player.asked_at = scheduler_.now();
  const std::uint32_t attempt = ++player.attempt;
  scheduler_.after(trip(), [this, index, attempt] { reach_master(index, attempt); });
  if (player.hangs_up && !calm_) {
    const Duration patience{random_.between(1'000, 3'000'000)};
    scheduler_.after(patience, [this, index, attempt] { hang_up(index, attempt); });
  }
}

void Clients::ask_again(std::size_t index, Duration delay) {
  Player& player = players_[index];
  if (player.state == PlayerState::gone) return;
  player.state = PlayerState::retrying;
  const std::uint32_t attempt = ++player.attempt;
  scheduler_.after(delay, [this, index, attempt] {
    if (players_[index].attempt == attempt) ask(index);
  });
}

void Clients::reach_master(std::size_t index, std::uint32_t attempt) {
  if (players_[index].attempt != attempt) return;
  MasterNode& master = *cluster_->masters()[players_[index].master];
  if (!master.inbox.running()) {
    ask_again(index, Duration{random_.between(retry_least_us, retry_most_us)});
    return;
  }
  const TicketId ticket{++master.tickets};
  Player& player = players_[index];
  player.ticket = ticket;
  // The deadline counts from when the master reads the request, which may be after a pause.
  master.inbox.deliver([this, &master, index, attempt, ticket] {
    const Player& asking = players_[index];
    const TimePoint deadline = master.clock.at(scheduler_.now()) + options_.request_wait;
    tickets_[{master.incarnation, ticket}] = Ticket{index, attempt, deadline, false, false};
    cluster_->tell(master, master::MatchRequested{ticket, asking.group, ModeName{"duel"},
                                                  options_.capacity, asking.claim, deadline});
  });
}

void Clients::hang_up(std::size_t index, std::uint32_t attempt) {
  Player& player = players_[index];
  if (player.attempt != attempt || player.state != PlayerState::waiting) return;
  player.state = PlayerState::gone;
  if (player.ticket == TicketId{}) {
    ++player.attempt;  // the request does not even set out
    return;
  }
  MasterNode& master = *cluster_->masters()[player.master];
  scheduler_.after(trip(), [this, &master, ticket = player.ticket, run = master.incarnation] {
    if (run != master.incarnation) return;
    master.inbox.deliver([this, &master, ticket] {
      const auto found = tickets_.find({master.incarnation, ticket});
      if (found == tickets_.end() || found->second.answered) return;
      found->second.cancelled = true;
      cluster_->tell(master, master::RequestCancelled{ticket});
    });
  });
}

// --- answers
// --------------------------------------------------------------------------------------

Ticket& Clients::take_answer(MasterNode& master, TicketId ticket) {
  const std::string name = to_string(master.id) + " t" + std::to_string(ticket.number());
  const auto found = tickets_.find({master.incarnation, ticket});
  if (found == tickets_.end()) throw Violation::safety(name + ": no such ticket was asked for");
  if (found->second.answered) throw Violation::safety(name + " is answered twice");
  if (found->second.cancelled) throw Violation::safety(name + " is answered though cancelled");
  found->second.answered = true;
  return found->second;
}

void Clients::seated(MasterNode& master, const master::Seated& seated) {
  const Ticket& ticket = take_answer(master, seated.ticket);
  const Player& player = players_[ticket.player];
  if (seated.group != player.group) throw Violation::safety("a seat in a foreign group");
  if (seated.players.size() != player.claim.seats() ||
      seated.players.front() != player.claim.player) {
    throw Violation::safety("a seat for other players than those who asked");
  }
  scheduler_.after(trip(),
                   [this, index = ticket.player, attempt = ticket.attempt, room = seated.room] {
                     Player& owner = players_[index];
                     if (owner.attempt != attempt || owner.state != PlayerState::waiting) return;
                     if (!owner.seated_once) waits_.push_back(scheduler_.now() - owner.asked_at);
                     owner.seated_once = true;
                     owner.room = room;
                     if (owner.never_claims) {
                       owner.state = PlayerState::gone;
                       return;
                     }
                     owner.state = PlayerState::travelling;
                     const Duration way{random_.between(100, options_.reservation.count() / 4)};
                     scheduler_.after(way, [this, index, attempt] { travel(index, attempt); });
                   });
}

void Clients::refused(MasterNode& master, const master::Refused& refused) {
  const Ticket& ticket = take_answer(master, refused.ticket);
  if (refused.reason != master::Refusal::not_joined) ++refusals_;
  const Duration pause = std::max(refused.retry_after, Duration{retry_least_us});
  scheduler_.after(trip(), [this, index = ticket.player, attempt = ticket.attempt, pause] {
    Player& player = players_[index];
    if (player.attempt != attempt || player.state != PlayerState::waiting) return;
    ++player.refusals;
    ask_again(index, pause);
  });
}

void Clients::master_crashed(MasterNode& master) {
  for (std::size_t i = 0; i < players_.size(); ++i) {
    const Player& player = players_[i];
    if (player.state == PlayerState::waiting && player.master + 1U == master.id.number()) {
      ask_again(i, Duration{random_.between(retry_least_us, retry_most_us)});
    }
  }
}

// --- in the room
// ----------------------------------------------------------------------------------

void Clients::travel(std::size_t index, std::uint32_t attempt) {
  Player& player = players_[index];
  if (player.attempt != attempt || player.state != PlayerState::travelling) return;
  WorkerNode* const worker = cluster_->find_worker(player.room);
  const auto process = worker != nullptr ? worker->processes.find(player.room.number)
                                         : decltype(worker->processes)::iterator{};
  if (worker == nullptr || process == worker->processes.end() || !process->second.ready) {
    lose_room(index);
    return;
  }
  // The leader's answer speaks for the party: they come through the door together.
  questions_[++next_question_] = {index, attempt};
  cluster_->tell(*worker,
                 worker::PlayerArrived{player.room.number, player.claim.player, next_question_});
  for (const PlayerId& other : players_[index].claim.party) {
    cluster_->tell(*worker,
                   worker::PlayerArrived{players_[index].room.number, other, ++next_question_});
  }
}

void Clients::admitted(WorkerNode&, std::uint64_t question, bool admitted) {
  const auto found = questions_.find(question);
  if (found == questions_.end()) return;  // one of a party
  const auto [index, attempt] = found->second;
  questions_.erase(found);
  Player& player = players_[index];
  if (player.attempt != attempt || player.state != PlayerState::travelling) return;
  if (!admitted) {
    lose_room(index);
    return;
  }
  player.state = PlayerState::playing;
  if (options_.play_most.count() == 0) return;
  const Duration played{random_.between(10'000, options_.play_most.count())};
  scheduler_.after(played, [this, index = index, attempt = attempt] { leave(index, attempt); });
}

void Clients::leave(std::size_t index, std::uint32_t attempt) {
  Player& player = players_[index];
  if (player.attempt != attempt || player.state != PlayerState::playing) return;
  player.state = PlayerState::gone;
  WorkerNode* const worker = cluster_->find_worker(player.room);
  if (worker == nullptr) return;
  cluster_->tell(*worker, worker::PlayerLeft{player.room.number, player.claim.player});
  for (const PlayerId& other : players_[index].claim.party) {
    cluster_->tell(*worker, worker::PlayerLeft{players_[index].room.number, other});
  }
}

void Clients::lose_room(std::size_t index) {
  ask_again(index, Duration{random_.between(retry_least_us, retry_most_us)});
}

void Clients::process_ended(WorkerNode& worker, RoomNumber room) {
  const RoomId ended{worker.id, worker.incarnation, room};
  for (std::size_t i = 0; i < players_.size(); ++i) {
    const PlayerState state = players_[i].state;
    if (players_[i].room != ended) continue;
    if (state == PlayerState::playing || state == PlayerState::travelling) lose_room(i);
  }
}

void Clients::worker_crashed(WorkerNode& worker) {
  for (std::size_t i = 0; i < players_.size(); ++i) {
    const Player& player = players_[i];
    if (player.room.worker != worker.id || player.room.incarnation != worker.incarnation) continue;
    if (player.state == PlayerState::playing || player.state == PlayerState::travelling) {
      lose_room(i);
    }
  }
}

// --- checks
// ---------------------------------------------------------------------------------------

void Clients::check_deadlines() {
  for (auto at = tickets_.begin(); at != tickets_.end();) {
    const Ticket& ticket = at->second;
    const Player& player = players_[ticket.player];
    MasterNode& master = *cluster_->masters()[player.master];
    const bool current = player.attempt == ticket.attempt && at->first.first == master.incarnation;
    if (ticket.answered || ticket.cancelled || !current) {
      at = ticket.answered || ticket.cancelled ? tickets_.erase(at) : std::next(at);
      continue;
    }
    const TimePoint local = master.clock.at(scheduler_.now());
    if (master.inbox.responsive() && local > ticket.deadline + deadline_slack) {
      throw Violation::liveness(to_string(master.id) + " t" +
                                std::to_string(at->first.second.number()) +
                                " is not answered by its deadline");
    }
    ++at;
  }
}

bool Clients::settled() const {
  return std::all_of(players_.begin(), players_.end(), [](const Player& player) {
    return player.state == PlayerState::playing || player.state == PlayerState::gone;
  });
}

}  // namespace fixkeep::sim
