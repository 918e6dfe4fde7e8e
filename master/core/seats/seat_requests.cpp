#include "master/core/seats/seat_requests.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "common/wire/limits.hpp"
#include "master/core/seam/each_player.hpp"
#include "master/core/seats/answers.hpp"

namespace fixkeep::master {

bool SeatRequests::ask_rooms(Group& group, Step& step) {
  if (group.claims->pinned.empty() && group.claims->queue.empty()) return false;
  if (!group.lock->hold.may_ask()) return false;
  const std::size_t before = group.asked->seats.size();
  ask_for_pinned(group, step);
  if (!group.is_pool()) ask_for_queued(group, step);
  return group.asked->seats.size() > before;
}

void SeatRequests::ask_for_pinned(Group& group, Step& step) {
  for (auto at = group.claims->pinned.begin(); at != group.claims->pinned.end();) {
    const RoomId id = at->first;
    const Room* room = directory_.find(id);
    const bool open = room != nullptr && room->takes_players();
    if (open && room->asked) {
      ++at;
      continue;
    }
    const std::set<ClaimNumber> claims = at->second;
    if (!open) {
      for (const ClaimNumber number : claims) seating_.unpin(number, step);
      at = group.claims->pinned.begin();  // unpin() may pin a claim to an earlier room
      continue;
    }
    Batch batch{{}, room->free(), 0, room->gathers()};
    for (const ClaimNumber number : claims) {
      if (batch.claims.size() >= wire::limits::claims || batch.bytes >= message_bytes) break;
      // A claim that accepts only this room (`only`) takes free seats. The other pinned claims seem
      // to have their seats in this room already.
      const Waiting& waiting = claims_.at(number);
      if (waiting.only) batch.left -= std::min(batch.left, waiting.claim.seats());
      take(number, batch);
    }
    if (!group.is_pool() && !wire::is_match(group.key)) fill(group, batch);
    ask(group, id, std::move(batch), step);
    at = group.claims->pinned.upper_bound(id);
  }
}

void SeatRequests::ask_for_queued(Group& group, Step& step) {
  if (wire::is_match(group.key)) return seating_.look_at_match(group, step);
  std::uint32_t most = group.claims->queue.largest();  // a claim never needs more
  std::uint32_t most_without = most;                   // for a claim without backfill
  ClaimNumber behind = 0;
  while (const auto first = group.claims->queue.next(behind, most, most_without)) {
    behind = *first;
    const wire::Claim& claim = claims_.at(*first).claim;
    const std::uint32_t seats = claim.seats();
    const Room* room = directory_.next_room(group.key, seats, claim.no_backfill);
    if (room == nullptr) {
      (claim.no_backfill ? most_without : most) = seats - 1;
      continue;
    }
    const RoomId id = room->id;
    Batch batch{{}, room->free() - seats, 0, room->gathers()};
    take(*first, batch);
    fill(group, batch);
    ask(group, id, std::move(batch), step);
  }
}

void SeatRequests::take(ClaimNumber number, Batch& batch) {
  batch.bytes += bytes_of(claims_.at(number).claim);
  batch.claims.push_back(number);
  claims_.ask(number);
}

void SeatRequests::fill(Group& group, Batch& batch) {
  while (batch.claims.size() < wire::limits::claims) {
    const auto number = group.claims->queue.next(0, batch.left, batch.gathers ? batch.left : 0);
    if (!number) return;
    const wire::Claim& claim = claims_.at(*number).claim;
    if (batch.bytes + bytes_of(claim) > message_bytes) return;
    batch.left -= claim.seats();
    take(*number, batch);
  }
}

void SeatRequests::ask(Group& group, const RoomId& room, Batch&& batch, Step& step) {
  std::sort(batch.claims.begin(), batch.claims.end());
  const std::uint32_t seats = directory_.find(room)->free() - batch.left;
  wire::SeatRequest message;
  message.room = room.number;
  // In a pool, a pinned claim asks for the seats that it already has. The basis forbids new seats,
  // because only a hold gives new seats.
  if (group.is_pool()) message.basis.emplace();
  message.claims.reserve(batch.claims.size());
  for (const ClaimNumber number : batch.claims) {
    message.claims.push_back(claims_.at(number).claim);
  }
  ++counters_.seat_requests;
  counters_.claims_sent += batch.claims.size();
  directory_.set_asked(room, true);
  message.request = questions_.put(
      {&group, room.worker, SeatQuestion{room, std::move(batch.claims), seats, step.now}}, step.now,
      directory_.find(room.worker)->patience(options_.worker_reply));
  step.out.emplace_back(SendToWorker{room.worker, std::move(message)});
}

bool SeatRequests::answered(const QuestionAbout<SeatQuestion>& question,
                            const wire::SeatReply& reply, Step& step) {
  const SeatQuestion& asked = question.about;
  counters_.seat_replies.add(step.now - asked.asked_at);
  directory_.set_asked(asked.room, false);
  const auto flags = reserved_flags(reply.granted, asked.claims.size());
  if (!flags || reply.room != asked.room.number) {
    for (const ClaimNumber number : asked.claims) seating_.lost(number, step);
    return false;
  }
  const Room* before = directory_.find(asked.room);
  const bool provisional = before != nullptr && before->provisional;
  directory_.seats_reserved(asked.room, reply);
  const Reservation reservation{reply.reservation, asked.asked_at, reply.granted_at,
                                reply.reserved_for};
  std::vector<PlayerId> seated = reply.seated;
  std::sort(seated.begin(), seated.end());
  const auto is_new = [&](const PlayerId& player) {
    return std::binary_search(seated.begin(), seated.end(), player);
  };
  for (std::size_t i = 0; i < asked.claims.size(); ++i) {
    const ClaimNumber number = asked.claims[i];
    const wire::Claim& claim = claims_.at(number).claim;
    if (!(*flags)[i]) {
      const Room* room = directory_.find(asked.room);
      const bool backfill = claim.no_backfill && room != nullptr && !room->gathers();
      if (!backfill) directory_.denied(asked.room, claim.seats());
      seating_.denied(number, asked.room, step);
      continue;
    }
    if (!is_new(claim.player)) ++counters_.same_seat_again;
    if (provisional) directory_.take_hinted(asked.room, claim.seats());
    bool fresh = false;
    each_player(claim, [&](const PlayerId& player) { fresh = fresh || is_new(player); });
    seating_.reserved(number, asked.room, reservation, fresh, step);
  }
  return true;
}

}  // namespace fixkeep::master
