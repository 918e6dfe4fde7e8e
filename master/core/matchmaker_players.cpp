// One player, one seat: which claims have to wait for others, and which of two seats counts.
//
// Claims that have a player in common go one after another, so within one master a player never
// gets two seats. Two masters may give a player seats in two rooms at the same instant. Both hear
// of it, and whoever still waits for a room to open gives its seat back: both decide by the same
// rule (counts_more), so that one of the two stays.

#include <algorithm>

#include "master/core/matchmaker_internals.hpp"

namespace fixkeep::master {
namespace {

// How often a claim looks whether the other seat of its player has come free.
constexpr Duration recheck_every = std::chrono::milliseconds{50};

}  // namespace

bool Matchmaker::Impl::in_scope(const Waiting& waiting, const ModeName& mode,
                                const GroupKey& group) {
  if (waiting.one_seat_per == SeatScope::group) return waiting.group->key == group;
  return waiting.group->mode == mode;
}

std::optional<ClaimNumber> Matchmaker::Impl::same_request(const Group& group,
                                                          const wire::Claim& claim) const {
  const auto [first, last] = players_.equal_range(hash_of(claim.player));
  for (auto at = first; at != last; ++at) {
    const Waiting& waiting = claims_.at(at->second);
    if (waiting.group == &group && waiting.claim == claim) return at->second;
  }
  return std::nullopt;
}

void Matchmaker::Impl::add_players(ClaimNumber number) {
  each_player(claims_.at(number).claim,
              [&](const PlayerId& player) { players_.emplace(hash_of(player), number); });
}

void Matchmaker::Impl::remove_players(ClaimNumber number) {
  each_player(claims_.at(number).claim, [&](const PlayerId& player) {
    const auto [first, last] = players_.equal_range(hash_of(player));
    auto own = last;
    for (auto at = first; at != last; ++at) {
      if (at->second == number) {
        own = at;
      } else if (claims_.at(at->second).place == ClaimPlace::parked) {
        parked_checks_.add(TimePoint::min(), at->second);
      }
    }
    if (own != last) players_.erase(own);
  });
}

bool Matchmaker::Impl::behind_another(ClaimNumber number) const {
  const Waiting& waiting = claims_.at(number);
  bool behind = false;
  each_player(waiting.claim, [&](const PlayerId& player) {
    const auto [first, last] = players_.equal_range(hash_of(player));
    behind = behind || std::any_of(first, last, [&](const auto& entry) {
               if (entry.second >= number) return false;
               const Group& other = *claims_.at(entry.second).group;
               return in_scope(waiting, other.mode, other.key);
             });
  });
  return behind;
}

void Matchmaker::Impl::place(ClaimNumber number, Step& step) {
  Waiting& waiting = claims_.at(number);
  if (behind_another(number)) {
    waiting.place = ClaimPlace::parked;  // until remove_players() of the other one
    return;
  }
  const Room* own = nullptr;  // in the claim's group, where its players have their seats
  bool elsewhere = false;
  each_player(waiting.claim, [&](const PlayerId& player) {
    bool seated = false;
    bool here = false;
    directory_.each_seat(hash_of(player), [&](const Room& room) {
      if (!in_scope(waiting, room.mode, room.group)) return;
      seated = true;
      if (own == nullptr && room.group == waiting.group->key) own = &room;
      if (own == &room) here = true;
    });
    if (seated && !here) elsewhere = true;
  });
  if (elsewhere) {
    park(number, step);
  } else if (own != nullptr) {
    pin(number, own->id);
  } else {
    enqueue(number);
  }
}

void Matchmaker::Impl::place_denied(ClaimNumber number, Step& step) {
  const Waiting& waiting = claims_.at(number);
  bool seated = false;
  each_player(waiting.claim, [&](const PlayerId& player) {
    directory_.each_seat(hash_of(player), [&](const Room& room) {
      seated = seated || in_scope(waiting, room.mode, room.group);
    });
  });
  if (seated) {
    park(number, step);
  } else {
    enqueue(number);
  }
}

void Matchmaker::Impl::park(ClaimNumber number, Step& step) {
  Waiting& waiting = claims_.at(number);
  waiting.place = ClaimPlace::parked;
  if (waiting.parked_until == TimePoint::max()) {
    waiting.parked_until = step.now + options_.other_seat_grace;
  }
  if (step.now >= waiting.parked_until) {
    refuse_claim(number, Refusal::already_seated, step);
    erase_claim(number);
    return;
  }
  parked_checks_.add(std::min(step.now + recheck_every, waiting.parked_until), number);
}

bool Matchmaker::Impl::check_parked(Step& step) {
  bool any = false;
  while (const auto number = parked_checks_.take_due(step.now)) {
    const auto claim = claims_.find(*number);
    if (claim == claims_.end() || claim->second.place != ClaimPlace::parked) continue;
    place(*number, step);
    any = true;
  }
  return any;
}

// A room that is open has most likely been told to its player; of two that start, the lower id.
bool Matchmaker::Impl::counts_more(const Room& other, const Room& own) {
  if (other.ready()) return true;
  return !own.ready() && other.id < own.id;
}

const Room* Matchmaker::Impl::better_seat(const Waiting& waiting, const Room& own) const {
  const Room* better = nullptr;
  each_player(waiting.claim, [&](const PlayerId& player) {
    directory_.each_seat(hash_of(player), [&](const Room& room) {
      if (&room == &own || !in_scope(waiting, room.mode, room.group)) return;
      if (counts_more(room, own)) better = &room;
    });
  });
  return better;
}

void Matchmaker::Impl::give_way(ClaimNumber number, const RoomId& own, const Room& better,
                                Step& step) {
  Waiting& waiting = claims_.at(number);
  release_seats(own, waiting, step);
  unplace(number);
  if (++waiting.losses > most_losses) {
    refuse_claim(number, Refusal::already_seated, step);
    erase_claim(number);
  } else if (better.group == waiting.group->key) {
    pin(number, better.id);
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
    const auto [first, last] = players_.equal_range(player);
    for (auto at = first; at != last; ++at) concerned.push_back(at->second);
  }
  for (const ClaimNumber number : concerned) {
    const auto at = claims_.find(number);
    if (at == claims_.end() || !in_scope(at->second, room.mode, room.group)) continue;
    Waiting& waiting = at->second;
    if (waiting.place == ClaimPlace::queued && !waiting.pinned) {
      unplace(number);
      place(number, step);
    } else if (waiting.place == ClaimPlace::reserved && waiting.room != room.id) {
      const Room* own = directory_.find(waiting.room);
      if (own == nullptr || !counts_more(room, *own)) continue;
      give_way(number, own->id, room, step);
    }
  }
}

}  // namespace fixkeep::master
