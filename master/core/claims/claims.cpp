#include "master/core/claims/claims.hpp"

#include <string>
#include <utility>

#include "common/base/assert.hpp"
#include "master/core/claims/one_seat.hpp"
#include "master/core/seam/each_player.hpp"

namespace fixkeep::master {
namespace {

// Removes the claim from the room's set, and an empty set from the map.
void take_from(std::map<RoomId, std::set<ClaimNumber>>& rooms, const RoomId& room,
               ClaimNumber number) {
  const auto at = rooms.find(room);
  FIXKEEP_ASSERT(at != rooms.end(), std::to_string(number));
  at->second.erase(number);
  if (at->second.empty()) rooms.erase(at);
}

}  // namespace

ClaimNumber Claims::add(Group& group, wire::Claim&& claim, SeatScope one_seat_per,
                        std::optional<RoomId> only) {
  const ClaimNumber number = ++last_;
  Waiting& waiting =
      claims_.try_emplace(number, group, std::move(claim), one_seat_per, std::move(only))
          .first->second;
  each_player(waiting.claim, [&](const PlayerId& player) {
    players_.each_claim(player, [&](ClaimNumber other) {
      const Group& earlier = *at(other).group;
      if (in_scope(waiting, earlier.rooms->mode, earlier.key)) ++waiting.where.change().behind;
    });
  });
  ++group.claims.change().members;
  groups_.mark(group);
  players_.add(number, waiting.claim);
  return number;
}

void Claims::erase(ClaimNumber number) {
  leave(number);
  const Waiting& waiting = at(number);
  FIXKEEP_ASSERT(waiting.askers->tickets.empty(), std::to_string(number));
  players_.remove(number, waiting.claim);
  each_player(waiting.claim, [&](const PlayerId& player) {
    players_.each_claim(player, [&](ClaimNumber other) {
      Waiting& later = at(other);
      if (other < number || !in_scope(later, waiting.group->rooms->mode, waiting.group->key))
        return;
      FIXKEEP_ASSERT(later.where->behind > 0, std::to_string(other));
      if (--later.where.change().behind > 0 || later.where->place != ClaimPlace::parked) return;
      checks_.add(TimePoint::min(), other);
    });
  });
  --waiting.group->claims.change().members;
  groups_.mark(*waiting.group);
  claims_.erase(number);
}

const Waiting* Claims::find(ClaimNumber number) const {
  ++looks_;
  const auto found = claims_.find(number);
  return found == claims_.end() ? nullptr : &found->second;
}

std::optional<ClaimNumber> Claims::same(const Group& group, const wire::Claim& claim,
                                        const std::optional<RoomId>& only) const {
  std::optional<ClaimNumber> found;
  players_.each_claim(claim.player, [&](ClaimNumber number) {
    const Waiting& waiting = at(number);
    if (found || waiting.group != &group || waiting.only != only) return;
    if (waiting.claim.match != claim.match) return;
    if (waiting.claim.player == claim.player && waiting.claim.party == claim.party) found = number;
  });
  return found;
}

void Claims::leave(ClaimNumber number) {
  Waiting& waiting = at(number);
  Group& group = *waiting.group;
  switch (std::exchange(waiting.where.change().place, ClaimPlace::nowhere)) {
    case ClaimPlace::nowhere:
    case ClaimPlace::parked:
    case ClaimPlace::asked:
    case ClaimPlace::ordered:
    case ClaimPlace::lent:
    case ClaimPlace::unseen: return;
    case ClaimPlace::queued:
      group.claims.change().queue.erase(number, waiting.claim.seats(), waiting.claim.no_backfill);
      return;
    case ClaimPlace::pinned:
      take_from(group.claims.change().pinned, waiting.where->room, number);
      return;
    case ClaimPlace::reserved: take_from(reserved_, waiting.where->room, number); return;
  }
}

Waiting& Claims::moved(ClaimNumber number, ClaimPlace place) {
  leave(number);
  Waiting& waiting = at(number);
  waiting.where.change().place = place;
  return waiting;
}

void Claims::enqueue(ClaimNumber number) {
  Waiting& waiting = moved(number, ClaimPlace::queued);
  waiting.where.change().parked_until = TimePoint::max();
  waiting.group->claims.change().queue.insert(number, waiting.claim.seats(),
                                              waiting.claim.no_backfill);
  groups_.mark(*waiting.group);
}

void Claims::pin(ClaimNumber number, const RoomId& room) {
  Waiting& waiting = moved(number, ClaimPlace::pinned);
  // A pin to a different room removes the claim's time limit (parked_until()). A pin to the same
  // room keeps this limit.
  if (waiting.where->room != room) waiting.where.change().parked_until = TimePoint::max();
  waiting.where.change().room = room;
  waiting.group->claims.change().pinned[room].insert(number);
  groups_.mark(*waiting.group);
}

void Claims::park(ClaimNumber number) {
  moved(number, ClaimPlace::parked);
}

void Claims::park(ClaimNumber number, TimePoint check_at) {
  park(number);
  checks_.add(check_at, number);
}

TimePoint Claims::parked_until(ClaimNumber number, TimePoint from_now_on) {
  TimePoint& until = at(number).where.change().parked_until;
  if (until == TimePoint::max()) until = from_now_on - slept_;
  return until + slept_;
}

void Claims::ask(ClaimNumber number) {
  moved(number, ClaimPlace::asked);
}

void Claims::order(ClaimNumber number) {
  moved(number, ClaimPlace::ordered);
}

void Claims::lend(ClaimNumber number) {
  moved(number, ClaimPlace::lent);
}

void Claims::reserve(ClaimNumber number, const RoomId& room) {
  Waiting& waiting = moved(number, ClaimPlace::reserved);
  waiting.where.change().room = room;
  waiting.where.change().parked_until = TimePoint::max();
  reserved_[room].insert(number);
}

void Claims::wait_for_sight(ClaimNumber number, const WorkerId& worker) {
  moved(number, ClaimPlace::unseen).where.change().room = {worker, {}, {}};
}

std::vector<ClaimNumber> Claims::reserved_in(const RoomId& room) const {
  const auto at = reserved_.find(room);
  if (at == reserved_.end()) return {};
  return {at->second.begin(), at->second.end()};
}

std::vector<ClaimNumber> Claims::reserved_on(const WorkerId& worker) const {
  std::vector<ClaimNumber> found;
  for (auto at = reserved_.lower_bound(RoomId{worker, {}, {}});
       at != reserved_.end() && at->first.worker == worker; ++at) {
    found.insert(found.end(), at->second.begin(), at->second.end());
  }
  return found;
}

std::optional<ClaimNumber> Claims::take_due(TimePoint now) {
  looked_at_ = now;
  while (const auto number = checks_.take_due(now)) {
    const Waiting* claim = find(*number);
    if (claim != nullptr && claim->where->place == ClaimPlace::parked) return number;
  }
  return std::nullopt;
}

}  // namespace fixkeep::master
