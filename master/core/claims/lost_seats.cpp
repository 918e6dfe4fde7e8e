#include "master/core/claims/lost_seats.hpp"

#include <algorithm>

#include "master/core/groups/group.hpp"
#include "master/core/seam/each_player.hpp"

namespace fixkeep::master {

// --- lost ----------------------------------------------------------------------------------------

void LostSeats::keep(Seats&& seats) {
  if (seats.players.empty() || players_ + seats.players.size() > most_players) return;
  players_ += seats.players.size();
  const WorkerId worker = seats.room.worker;
  away_[worker].push_back(std::move(seats));
}

void LostSeats::add(Seats&& seats, TimePoint now) {
  const Worker* worker = directory_.find(seats.room.worker);
  if (worker != nullptr) seats.after = worker->last_reservation;
  note_room(seats);
  seats.until = now + kept;
  keep(std::move(seats));
}

void LostSeats::note_room(Seats& seats) const {
  const Room* room = directory_.find(seats.room);
  if (room == nullptr) return;
  seats.group = room->group;
  seats.creation = room->creation;
}

template <class About>
std::vector<PlayerId> LostSeats::players_in(const About& question) const {
  std::vector<PlayerId> players;
  for (const ClaimNumber number : question.claims) {
    each_player(claims_.at(number).claim,
                [&](const PlayerId& player) { players.push_back(player); });
  }
  for (const auto& lent : question.players) players.insert(players.end(), lent.begin(), lent.end());
  return players;
}

// A question with lists of players is about claims of a pool. All other questions are about claims
// of this master.
void LostSeats::lost(const SeatQuestion& question, TimePoint now) {
  add({question.room, {}, {}, players_in(question), {}, !question.players.empty()}, now);
}

void LostSeats::lost(const QuestionAbout<OrderQuestion>& question, TimePoint now) {
  const OrderQuestion& order = question.about;
  add({{question.worker, {}, {}},
       question.group->key,
       order.creation,
       players_in(order),
       {},
       !order.players.empty()},
      now);
}

void LostSeats::lost(const RoomId& room, std::vector<PlayerId>&& players, ReservationId reservation,
                     TimePoint now) {
  add({room, {}, {}, std::move(players), reservation}, now);
}

void LostSeats::link_broke(const WorkerId& worker) {
  for (auto at = returned_.begin(); at != returned_.end();) {
    if (at->second.room.worker != worker) {
      ++at;
      continue;
    }
    players_ -= at->second.players.size();
    keep(std::move(at->second));
    at = returned_.erase(at);
  }
  for (auto& [at, seats] : sent_) {
    if (seats.room.worker == worker) keep(Seats{seats});
  }
  std::erase_if(sent_, [&](const auto& each) { return each.second.room.worker == worker; });
}

// --- given back ----------------------------------------------------------------------------------

void LostSeats::send(const RoomId& room, Seats&& seats, Step& step) {
  const bool named = seats.reservation != ReservationId{};
  step.out.emplace_back(
      SendToWorker{room.worker, wire::ReleaseSeats{room.number, seats.players, seats.reservation,
                                                   named ? ReservationId{} : seats.after,
                                                   named ? ReservationId{} : seats.up_to}});
  while (!sent_.empty() && sent_.front().first + may_be_lost <= step.now) sent_.pop_front();
  if (sent_.size() < most_players) sent_.emplace_back(step.now, std::move(seats));
}

void LostSeats::give_back(const RoomId& id, std::vector<PlayerId>&& players,
                          ReservationId reservation, Step& step) {
  Seats seats{id, {}, {}, std::move(players), reservation};
  const Worker* worker = directory_.find(id.worker);
  // False: the worker has no link, or another machine or run is connected under its name.
  const bool here = worker != nullptr && worker->known && worker->incarnation == id.incarnation;
  if (!here) return add(std::move(seats), step.now);
  note_room(seats);
  seats.until = step.now + kept;
  send(id, std::move(seats), step);
}

const Room* LostSeats::room_of(const Seats& seats) const {
  const Worker* known = directory_.find(seats.room.worker);
  if (known == nullptr) return nullptr;
  if (seats.creation == CreationId{}) return directory_.find(seats.room);
  const auto is_it = [&](const auto& room) {
    return room.second.creation == seats.creation && room.second.group == seats.group;
  };
  // Usually the worker's run and the room's number are unchanged. Then no search is needed.
  const auto same = known->rooms.find(seats.room.number);
  if (same != known->rooms.end() && is_it(*same)) return &same->second;
  const auto at = std::find_if(known->rooms.begin(), known->rooms.end(), is_it);
  return at == known->rooms.end() ? nullptr : &at->second;
}

bool LostSeats::is_wanted(const Room& room, const PlayerId& player) const {
  bool wanted = false;
  claims_.players().each_claim(player, [&](ClaimNumber number) {
    const Waiting& waiting = claims_.at(number);
    const Whereabouts& where = *waiting.where;
    const bool pinned = where.place == ClaimPlace::pinned && where.room == room.id;
    // While a claim is lent, the pool's holder may ask for the seats that its players already have.
    const bool lent = where.place == ClaimPlace::lent && waiting.group->key == room.group;
    wanted = wanted || pinned || lent;
  });
  return wanted;
}

std::vector<PlayerId> LostSeats::give_back(Seats& seats, bool second, Step& step) {
  const Room* room = room_of(seats);
  if (room == nullptr) return seats.players;
  // The upper bound is set once and then not raised: later reservations belong to later answers.
  if (seats.up_to == ReservationId{}) seats.up_to = seats.told_last;
  std::vector<PlayerId> later;
  Seats now = seats;
  now.players.clear();
  for (const PlayerId& player : seats.players) {
    if (!directory_.has_seat(*room, player)) continue;
    const bool waits = is_wanted(*room, player) || (seats.of_pool && !second);
    (waits ? later : now.players).push_back(player);
  }
  if (now.players.empty()) return later;
  directory_.give_back(room->id, static_cast<std::uint32_t>(now.players.size()));
  send(room->id, std::move(now), step);
  return later;
}

void LostSeats::returned(const WorkerId& worker, ReservationId last, Step& step) {
  auto node = away_.extract(worker);
  if (node.empty()) return;
  for (Seats& seats : node.mapped()) {
    players_ -= seats.players.size();
    seats.told_last = last;
    // If the worker's state has no last reservation, nothing is released: a release without an
    // upper bound would also end newer reservations. The state is then from another machine under
    // this name, or from a worker of an earlier version.
    if (last == ReservationId{}) {
      keep(std::move(seats));
      continue;
    }
    seats.players = give_back(seats, false, step);
    if (seats.players.empty()) continue;
    players_ += seats.players.size();
    returned_.emplace(step.now + second_look, std::move(seats));
  }
}

void LostSeats::time_passed(Step& step) {
  while (!returned_.empty() && returned_.begin()->first <= step.now) {
    Seats seats = std::move(returned_.extract(returned_.begin()).mapped());
    players_ -= seats.players.size();
    seats.players = give_back(seats, true, step);
    if (seats.players.empty()) continue;
    // If the room is unknown, another machine is perhaps connected under the worker's name. The
    // seats are stored, because the worker may still return.
    if (room_of(seats) == nullptr) {
      keep(std::move(seats));
      continue;
    }
    players_ += seats.players.size();
    returned_.emplace(step.now + second_look, std::move(seats));
  }
  if (next_tick() > step.now) return;
  for (auto at = away_.begin(); at != away_.end();) {
    std::erase_if(at->second, [&](const Seats& seats) {
      if (seats.until > step.now) return false;
      players_ -= seats.players.size();
      return true;
    });
    at = at->second.empty() ? away_.erase(at) : std::next(at);
  }
}

TimePoint LostSeats::next_tick() const {
  TimePoint next = returned_.empty() ? TimePoint::max() : returned_.begin()->first;
  for (const auto& [worker, seats] : away_) next = std::min(next, seats.front().until);
  return next;
}

}  // namespace fixkeep::master
