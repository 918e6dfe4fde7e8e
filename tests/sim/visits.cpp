// In the room: at its door, inside, and out again.
#include <algorithm>
#include <string>

#include "tests/sim/clients.hpp"
#include "tests/sim/violation.hpp"

namespace fixkeep::sim {
void Clients::travel(std::size_t index, std::uint32_t attempt) {
  Player& player = players_[index];
  if (player.attempt != attempt || player.state != PlayerState::travelling) return;
  WorkerNode* const worker = cluster_->find_worker(player.room);
  if (worker == nullptr) {  // it crashed, and its rooms with it
    lose_room(index);
    return;
  }
  if (!worker->core) {  // the game answers when it has a worker again
    scheduler_.after(Duration{retry_least_us}, [this, index, attempt] { travel(index, attempt); });
    return;
  }
  const auto process = worker->processes.find(player.room.number);
  if (process == worker->processes.end()) {
    admission_.no_game(player.answer, player.claim.player, scheduler_.now());
    lose_room(index);
    return;
  }
  if (!process->second.ready) {
    throw Violation::safety(player.claim.player.text() + " was sent to a game that still boots");
  }
  // The leader goes first: when it is turned away, the others do not play without it.
  std::vector<PlayerId> all{player.claim.player};
  all.insert(all.end(), player.claim.party.begin(), player.claim.party.end());
  for (const PlayerId& who : all) {
    questions_[++next_question_] = Question{index,
                                            attempt,
                                            who,
                                            players_[index].answer.room,
                                            scheduler_.now(),
                                            worker->inbox.paused(),
                                            worker->inbox.pauses()};
    cluster_->tell(*worker,
                   worker::PlayerArrived{players_[index].answer.room.number, who, next_question_});
  }
}

void Clients::worker_stepped(WorkerNode& worker, const worker::Actions& actions) {
  admission_.worker_stepped(worker, actions, scheduler_.now());
}

void Clients::admitted(WorkerNode& worker, std::uint64_t question, bool admitted) {
  const auto found = questions_.find(question);
  if (found == questions_.end()) return;
  const Question asked = found->second;
  questions_.erase(found);
  Player& player = players_[asked.player];
  const bool leads = asked.who == player.claim.player;
  const bool inside = player.attempt == asked.attempt && player.state == PlayerState::playing;
  const bool comes = player.attempt == asked.attempt && player.state == PlayerState::travelling;
  if (leads ? !comes : !inside) {
    if (admitted) enter_and_leave(asked.room, asked.who);
    if (!admitted) step_out_if_last(asked.room, asked.who);
    return;
  }
  if (!admitted) {
    step_out_if_last(asked.room, asked.who);
    // A worker that is late still owes what it owed when it was asked; one that slept does not.
    const bool slept = asked.to_sleeper || worker.inbox.pauses() != asked.pauses;
    admission_.turned_away(player.answer, asked.who, slept ? scheduler_.now() : asked.came_at);
    if (leads) lose_room(asked.player);
    return;
  }
  enter(asked.player, asked.who);
  if (!leads) return;
  player.state = PlayerState::playing;
  if (options_.play_most.count() == 0) return;
  const Duration played{random_.between(10'000, options_.play_most.count())};
  scheduler_.after(played, [this, asked] { leave(asked.player, asked.attempt); });
}

void Clients::enter(std::size_t index, const PlayerId& who) {
  Player& player = players_[index];
  ++presence_[{player.room, who}];
  player.inside.push_back(who);
}

// The game says that a player has left when its last connection has ended: one that it has asked
// about is a connection, too.
void Clients::step_out(const RoomId& room, const PlayerId& who) {
  const auto present = presence_.find({room, who});
  if (present == presence_.end()) return;
  if (present->second > 0) --present->second;
  if (present->second > 0 || is_asked_about(room, who)) return;
  presence_.erase(present);
  tell_left(room, who);
}

void Clients::step_out_if_last(const RoomId& room, const PlayerId& who) {
  const auto present = presence_.find({room, who});
  if (present != presence_.end() && present->second == 0) step_out(room, who);
}

bool Clients::is_asked_about(const RoomId& room, const PlayerId& who) const {
  return std::any_of(questions_.begin(), questions_.end(), [&](const auto& entry) {
    const Question& asked = entry.second;
    return asked.room == room && asked.who == who;
  });
}

void Clients::tell_left(const RoomId& room, const PlayerId& who) {
  WorkerNode* const worker = cluster_->find_worker(room);
  if (worker == nullptr) return;
  if (!worker->core) {
    admission_.player_left(room, who, scheduler_.now());
    cluster_->tell(*worker, worker::PlayerLeft{room.number, who});
    return;
  }
  worker->inbox.deliver([this, worker, room, who] {
    admission_.player_left(room, who, scheduler_.now());
    cluster_->tell(*worker, worker::PlayerLeft{room.number, who});
  });
}

// The player comes in and leaves at once: its leader was not let in, or it had gone before the
// worker answered.
void Clients::enter_and_leave(const RoomId& room, const PlayerId& who) {
  scheduler_.after(Duration{0}, [this, room, who] {
    if (presence_.contains({room, who})) {
      step_out_if_last(room, who);
    } else {
      tell_left(room, who);
    }
  });
}

void Clients::leave(std::size_t index, std::uint32_t attempt) {
  Player& player = players_[index];
  if (player.attempt != attempt || player.state != PlayerState::playing) return;
  player.state = PlayerState::gone;
  const std::vector<PlayerId> inside = std::move(player.inside);
  player.inside.clear();
  for (const PlayerId& who : inside) step_out(player.room, who);
  if (inside.size() == player.claim.seats()) come_back(index);
}

void Clients::come_back(std::size_t index) {
  constexpr std::uint32_t most_returns = 3;
  Player& player = players_[index];
  if (options_.comes_back == 0 || calm_ || player.returns == most_returns) return;
  if (!random_.chance(options_.comes_back)) return;
  // A rival is in the game still, so the worker has not been told that the player left.
  if (presence_.contains({player.room, player.claim.player})) return;
  ++player.returns;
  const std::uint32_t attempt = ++player.attempt;
  player.state = PlayerState::travelling;
  player.answer.kept = true;
  player.answer.asked_at = scheduler_.now();
  player.answer.reserved_for = options_.reconnect;
  const Duration away{random_.between(10'000, options_.reconnect.count())};
  scheduler_.after(away, [this, index, attempt, since = scheduler_.now()] {
    return_to_seat(index, attempt, since);
  });
}

// A worker that sleeps hears first that they have left.
void Clients::return_to_seat(std::size_t index, std::uint32_t attempt, SimTime left_since) {
  const Player& player = players_[index];
  if (player.attempt != attempt || player.state != PlayerState::travelling) return;
  const bool there = cluster_->find_worker(player.room) != nullptr;
  if (there && admission_.left_at(player.room, player.claim.player) < left_since) {
    scheduler_.after(Duration{retry_least_us}, [this, index, attempt, left_since] {
      return_to_seat(index, attempt, left_since);
    });
    return;
  }
  travel(index, attempt);
}

void Clients::lose_room(std::size_t index) {
  players_[index].inside.clear();
  ask_again(index, Duration{random_.between(retry_least_us, retry_most_us)});
}

void Clients::room_ended(const RoomId& room) {
  const auto first = presence_.lower_bound({room, PlayerId{}});
  auto last = first;
  while (last != presence_.end() && last->first.first == room) ++last;
  presence_.erase(first, last);
  for (std::size_t i = 0; i < players_.size(); ++i) {
    if (players_[i].room == room && players_[i].state == PlayerState::playing) lose_room(i);
  }
}

// Who travels to a game that its worker has ended finds that out at the door, where it is judged.
void Clients::process_ended(WorkerNode& worker, RoomNumber room, Ending ending) {
  const RoomId ended{worker.id, worker.incarnation, room};
  if (ending == Ending::crashed) {
    admission_.game_crashed(ended);
    for (std::size_t i = 0; i < players_.size(); ++i) {
      if (players_[i].room == ended && players_[i].state == PlayerState::travelling) lose_room(i);
    }
  }
  room_ended(ended);
}

void Clients::worker_crashed(WorkerNode& worker) {
  for (std::size_t i = 0; i < players_.size(); ++i) {
    const Player& player = players_[i];
    if (player.room.worker != worker.id || player.room.incarnation != worker.incarnation) continue;
    if (player.state == PlayerState::playing || player.state == PlayerState::travelling) {
      lose_room(i);
    }
  }
  std::erase_if(presence_, [&](const auto& entry) {
    const RoomId& room = entry.first.first;
    return room.worker == worker.id && room.incarnation == worker.incarnation;
  });
}

// A game asks again what it has got no answer to.
void Clients::worker_killed(WorkerNode& worker) {
  for (const auto& [question, asked] : questions_) {
    const RoomId& room = asked.room;
    if (room.worker != worker.id || room.incarnation != worker.incarnation) continue;
    cluster_->tell(worker, worker::PlayerArrived{room.number, asked.who, question});
  }
}

bool Clients::plays_elsewhere(const Player& player) const {
  for (const auto& [where, times] : presence_) {
    if (where.second == player.claim.player) return true;
    for (const PlayerId& other : player.claim.party) {
      if (where.second == other) return true;
    }
  }
  return false;
}

}  // namespace fixkeep::sim
