#include <algorithm>

#include "master/core/matchmaker_internals.hpp"
#include "master/core/one_seat.hpp"

namespace fixkeep::master {
namespace {

// How often a claim looks whether the other seat of its player has come free.
constexpr Duration recheck_every = std::chrono::milliseconds{50};

}  // namespace

void Matchmaker::Impl::place(ClaimNumber number, Step& step) {
  if (claims_.behind_another(number)) {
    claims_.park(number);
    return;
  }
  const SeatsOfPlayers seats = seats_of_players(directory_, claims_.at(number));
  if (seats.elsewhere) {
    park(number, step);
  } else if (seats.own != nullptr) {
    claims_.pin(number, seats.own->id);
  } else {
    claims_.enqueue(number);
  }
}

void Matchmaker::Impl::place_denied(ClaimNumber number, Step& step) {
  if (seats_of_players(directory_, claims_.at(number)).anywhere) {
    park(number, step);
  } else {
    claims_.enqueue(number);
  }
}

void Matchmaker::Impl::park(ClaimNumber number, Step& step) {
  Waiting& waiting = claims_.at(number);
  if (waiting.parked_until == TimePoint::max()) {
    waiting.parked_until = step.now + options_.other_seat_grace;
  }
  if (step.now >= waiting.parked_until) {
    refuse_claim(number, Refusal::already_seated, step);
    claims_.erase(number);
    return;
  }
  claims_.park(number, std::min(step.now + recheck_every, waiting.parked_until));
}

bool Matchmaker::Impl::check_parked(Step& step) {
  bool any = false;
  while (const auto number = claims_.take_due(step.now)) {
    place(*number, step);
    any = true;
  }
  return any;
}

void Matchmaker::Impl::give_way(ClaimNumber number, const RoomId& own, const Room& better,
                                Step& step) {
  Waiting& waiting = claims_.at(number);
  release_seats(own, waiting, step);
  if (++waiting.losses > most_losses) {
    refuse_claim(number, Refusal::already_seated, step);
    claims_.erase(number);
  } else if (better.group == waiting.group->key) {
    claims_.pin(number, better.id);
  } else {
    park(number, step);  // and not placed anew: we still believe in the seats just given back
  }
}

void Matchmaker::Impl::players_seated(const Room& room, const std::vector<PlayerHash>& players,
                                      Step& step) {
  groups_.mark(room.group);
  if (!room.takes_players()) return;
  std::vector<ClaimNumber> concerned;
  for (const PlayerHash player : players) {
    claims_.players().each_claim(player, [&](ClaimNumber number) { concerned.push_back(number); });
  }
  for (const ClaimNumber number : concerned) {
    const Waiting* waiting = claims_.find(number);
    if (waiting == nullptr || !in_scope(*waiting, room.mode, room.group)) continue;
    if (waiting->place == ClaimPlace::queued) {
      place(number, step);
    } else if (waiting->place == ClaimPlace::reserved && waiting->room != room.id) {
      const Room* own = directory_.find(waiting->room);
      if (own == nullptr || !counts_more(room, *own)) continue;
      give_way(number, own->id, room, step);
    }
  }
}

}  // namespace fixkeep::master
