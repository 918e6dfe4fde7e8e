#include "master/core/seats/seating.hpp"

#include <algorithm>
#include <chrono>

#include "master/core/claims/one_seat.hpp"
#include "master/core/seam/each_player.hpp"

namespace fixkeep::master {
namespace {

// The period at which a claim checks whether its player's other seat is free.
constexpr Duration recheck_every = std::chrono::milliseconds{50};
// A claim is refused when it has lost its seats more often than this, for example because its
// worker was absent or another seat of one of its players counted more.
constexpr std::uint32_t most_losses = 16;

}  // namespace

void Seating::place(ClaimNumber number, Step& step) {
  if (const auto refusal = refusal_of_match(claims_.at(number))) {
    return requests_.turn_away(number, *refusal, step);
  }
  if (claims_.behind_another(number)) {
    claims_.park(number);
    return;
  }
  const Waiting& waiting = claims_.at(number);
  const auto closed = waiting.only ? requests_.refusal_of(*waiting.only) : std::nullopt;
  if (closed) return requests_.turn_away(number, *closed, step);
  const Room* only =
      waiting.only ? directory_.find(*waiting.only) : room_of_match(directory_, waiting.group->key);
  const SeatsOfPlayers seats = seats_of_players(directory_, waiting);
  const bool other = only != nullptr && seats.own != nullptr && seats.own != only;
  if (seats.elsewhere || other ||
      (seats.own != nullptr && was_left(*seats.own, waiting, step.now))) {
    park(number, step);
  } else if (only != nullptr || seats.own != nullptr) {
    claims_.pin(number, only != nullptr ? only->id : seats.own->id);
  } else {
    claims_.enqueue(number);
  }
}

void Seating::park(ClaimNumber number, Step& step) {
  const TimePoint until = claims_.parked_until(number, step.now + options_.other_seat_grace);
  if (step.now >= until) {
    requests_.turn_away(number, Refusal::already_seated, step);
    return;
  }
  claims_.park(number, std::min(step.now + recheck_every, until));
}

bool Seating::check_parked(std::size_t& most, Step& step) {
  const std::size_t before = most;
  for (; most > 0; --most) {
    const auto number = claims_.take_due(step.now);
    if (!number) break;
    place(*number, step);
  }
  return most < before;
}

void Seating::seats_left(const SeatsLeft& event, TimePoint now) {
  const Room* room = directory_.find(event.room);
  if (room == nullptr || event.leaves_match) return;
  for (const PlayerId& player : event.players) {
    if (!directory_.has_seat(*room, player)) continue;
    leavers_.add(player, event.room, now + options_.other_seat_grace, now);
  }
}

std::optional<Refusal> Seating::refusal_of_match(const Waiting& waiting) const {
  const auto& match = waiting.claim.match;
  if (!match) return std::nullopt;
  const Room* room = room_of_match(directory_, waiting.group->key);
  if (room == nullptr) {
    return has_ended(waiting.group->key) ? std::optional{Refusal::match_ended} : std::nullopt;
  }
  const bool same = room->match && room->match->same_body(*match);
  if (!match->joins && !same) return Refusal::match_differs;
  return room->takes_players() ? std::nullopt : std::optional{Refusal::match_ended};
}

void Seating::look_at_match(const Group& group, Step& step) {
  if (!has_ended(group.key) && room_of_match(directory_, group.key) == nullptr) return;
  const auto queued = group.claims->queue.in_order();
  const std::vector<ClaimNumber> claims(queued.begin(), queued.end());
  for (const ClaimNumber number : claims) place(number, step);
}

bool Seating::was_left(const Room& room, const Waiting& waiting, TimePoint now) const {
  bool left = false;
  each_player(waiting.claim,
              [&](const PlayerId& player) { left = left || leavers_.has(player, room.id, now); });
  return left;
}

// --- results of a question -----------------------------------------------------------------------

void Seating::reserved(ClaimNumber number, const RoomId& id, const Reservation& reservation,
                       bool fresh, Step& step) {
  Waiting& waiting = claims_.at(number);
  requests_.give_back_former(id, waiting, reservation.id, step);
  waiting.seats.change().reserved = reservation;
  if (waiting.askers->tickets.empty()) {
    requests_.give_back(id, waiting, step);
    claims_.erase(number);
    return;
  }
  const Room* room = directory_.find(id);
  // If the claim has seats elsewhere that count more, it gives its fresh seats in this room back.
  // Older seats it keeps until their reservation ends: otherwise the claim could move back and
  // forth without end.
  const Room* better = room != nullptr && fresh ? better_seat(directory_, waiting, *room) : nullptr;
  if (better != nullptr) {
    give_way(number, id, *better, step);
  } else if (room != nullptr && room->ready()) {
    answer(number, *room, step);
  } else {
    claims_.reserve(number, id);
    requests_.tell_matched(number, true, step);
  }
}

void Seating::denied(ClaimNumber number, const RoomId& room, Step& step) {
  const Waiting& waiting = claims_.at(number);
  if (waiting.askers->tickets.empty()) {
    claims_.erase(number);
    return;
  }
  if (waiting.claim.match && requests_.refusal_of(room)) return place(number, step);
  if (waiting.only || waiting.claim.match) {
    const Room* const known = directory_.find(room);
    const bool closed = known != nullptr && known->stage == RoomStage::no_newcomers;
    const auto usual = closed ? Refusal::room_closed : Refusal::room_full;
    return requests_.turn_away(number, requests_.refusal_of(room).value_or(usual), step);
  }
  const SeatsOfPlayers seats = seats_of_players(directory_, waiting);
  const bool own = seats.own != nullptr && seats.own->id == room;
  if (!seats.anywhere) {
    claims_.enqueue(number);
  } else if (!own) {
    place(number, step);  // its players got seats elsewhere in the meantime
  } else if (waiting.claim.party.empty()) {
    claims_.enqueue(number);  // its player has no seat there any more
  } else {
    park(number, step);  // the room of its members is too full for the party
  }
}

void Seating::not_served(ClaimNumber number, Step& step) {
  if (claims_.at(number).askers->tickets.empty()) {
    claims_.erase(number);
  } else {
    place(number, step);
  }
}

void Seating::unpin(ClaimNumber number, Step& step) {
  const Waiting& waiting = claims_.at(number);
  if (waiting.seats->reserved.id != ReservationId{}) {
    requests_.give_back(waiting.where->room, waiting, step);
    forget_seats(number, step);
  }
  place(number, step);
}

void Seating::lost(ClaimNumber number, Step& step) {
  if (goes_on(number, step)) place(number, step);
}

bool Seating::goes_on(ClaimNumber number, Step& step) {
  Waiting& waiting = claims_.at(number);
  forget_seats(number, step);
  if (!waiting.askers->tickets.empty() && ++waiting.seats.change().losses > most_losses) {
    requests_.refuse(number, Refusal::wait_timeout, step);
  }
  if (!waiting.askers->tickets.empty() && waiting.seats->boots_failed >= options_.spawn_attempts) {
    requests_.refuse(number, Refusal::boot_failed, step);
  }
  const bool lives = !waiting.askers->tickets.empty();
  if (!lives) claims_.erase(number);
  return lives;
}

void Seating::forget_seats(ClaimNumber number, Step& step) {
  Waiting& waiting = claims_.at(number);
  const bool had_seats = waiting.seats->reserved.id != ReservationId{};
  waiting.seats.change().reserved = {};
  if (had_seats) requests_.tell_matched(number, false, step);
}

void Seating::answer(ClaimNumber number, const Room& room, Step& step) {
  Waiting& waiting = claims_.at(number);
  const Duration left = waiting.seats->reserved.ends(room.opened_at, step.now) - step.now;
  // An answer must leave the player at least half of the reservation. Otherwise the claim asks for
  // its seats again.
  if (left > Duration{0} && 2 * left >= waiting.seats->reserved.length) {
    requests_.seat(number, room, left, step);
  } else if (++waiting.seats.change().losses <= most_losses) {
    // Asks the room again: the players still have these seats, or get new ones.
    claims_.pin(number, room.id);
  } else {
    requests_.give_back(room.id, waiting, step);
    requests_.turn_away(number, Refusal::wait_timeout, step);
  }
}

void Seating::give_way(ClaimNumber number, const RoomId& own, const Room& better, Step& step) {
  Waiting& waiting = claims_.at(number);
  requests_.give_back(own, waiting, step);
  forget_seats(number, step);
  if (waiting.only || ++waiting.seats.change().losses > most_losses) {
    requests_.turn_away(number, Refusal::already_seated, step);
  } else if (better.group == waiting.group->key) {
    claims_.pin(number, better.id);
  } else {
    park(number, step);  // waits: the directory still shows the returned seats
  }
}

// --- news ----------------------------------------------------------------------------------------

void Seating::room_changed(const RoomId& id, wire::CloseReason reason, Step& step) {
  const std::vector<ClaimNumber> claims = claims_.reserved_in(id);
  if (claims.empty()) return;
  const Room* room = directory_.find(id);
  const bool gone = room == nullptr || !room->takes_players();
  if (!gone && !room->ready()) return;
  for (const ClaimNumber number : claims) {
    if (!gone) {
      answer(number, *room, step);
      continue;
    }
    Waiting& waiting = claims_.at(number);
    if (room != nullptr) requests_.give_back(id, waiting, step);
    if (wire::is_failed_boot(reason)) {
      ++waiting.seats.change().boots_failed;
      waiting.seats.change().avoid = id.worker;
    }
    lost(number, step);
  }
}

void Seating::players_seated(const Room& room, const std::vector<PlayerId>& players, Step& step) {
  groups_.mark(room.group);
  if (!room.takes_players()) return;
  std::vector<ClaimNumber> concerned;
  for (const PlayerId& player : players) {
    claims_.players().each_claim(player, [&](ClaimNumber number) { concerned.push_back(number); });
  }
  for (const ClaimNumber number : concerned) {
    const Waiting* waiting = claims_.find(number);
    if (waiting == nullptr || !in_scope(directory_, *waiting, room)) continue;
    const ClaimPlace place_of_claim = waiting->where->place;
    if (place_of_claim == ClaimPlace::queued || place_of_claim == ClaimPlace::unseen) {
      place(number, step);
    } else if (waiting->where->place == ClaimPlace::reserved && waiting->where->room != room.id) {
      const Room* own = directory_.find(waiting->where->room);
      if (own != nullptr && counts_more(room, *own)) give_way(number, own->id, room, step);
    }
  }
}

}  // namespace fixkeep::master
