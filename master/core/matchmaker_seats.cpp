#include <algorithm>

#include "common/wire/limits.hpp"
#include "master/core/matchmaker_internals.hpp"
#include "master/core/one_seat.hpp"

namespace fixkeep::master {
namespace {

constexpr std::size_t message_bytes = 1U << 20U;

}  // namespace

struct Matchmaker::Impl::Batch {
  std::vector<ClaimNumber> claims;
  std::uint32_t left = 0;  // seats of the room that are still to be had
  std::size_t bytes = 0;
};

void Matchmaker::Impl::requeue_lost(ClaimNumber number, Step& step) {
  Waiting& waiting = claims_.at(number);
  if (!waiting.tickets.empty() && ++waiting.losses > most_losses) {
    refuse_claim(number, Refusal::wait_timeout, step);
  }
  if (!waiting.tickets.empty() && waiting.boots_failed >= options_.spawn_attempts) {
    refuse_claim(number, Refusal::boot_failed, step);
  }
  if (waiting.tickets.empty())
    claims_.erase(number);
  else
    place(number, step);
}

void Matchmaker::Impl::place_pinned(Group& group, Step& step) {
  for (auto at = group.pinned.begin(); at != group.pinned.end();) {
    const RoomId id = at->first;
    const Room* room = directory_.find(id);
    if (room == nullptr || !room->takes_players()) {
      const std::set<ClaimNumber> claims = at->second;
      for (const ClaimNumber number : claims) place(number, step);
      at = group.pinned.begin();  // they may be pinned to rooms that we have passed already
      continue;
    }
    if (room->asked) {
      ++at;
      continue;
    }
    // Believed to have their seats already, so they take none of the room's free ones.
    Batch batch{{}, room->free(), 0};
    const std::set<ClaimNumber> claims = at->second;
    for (const ClaimNumber number : claims) {
      if (batch.claims.size() >= wire::limits::claims || batch.bytes >= message_bytes) break;
      take(number, batch);
    }
    fill(group, batch);
    ask(group, id, batch, step);
    at = group.pinned.upper_bound(id);
  }
}

void Matchmaker::Impl::take(ClaimNumber number, Batch& batch) {
  batch.bytes += bytes_of(claims_.at(number).claim);
  batch.claims.push_back(number);
  claims_.ask(number);
}

void Matchmaker::Impl::fill(Group& group, Batch& batch) {
  std::size_t scanned = 0;
  for (auto at = group.queue.begin(); at != group.queue.end() && batch.left > 0;) {
    if (batch.claims.size() >= wire::limits::claims || ++scanned > wire::limits::claims) return;
    const ClaimNumber number = *at++;
    const wire::Claim& claim = claims_.at(number).claim;
    if (claim.seats() > batch.left || batch.bytes + bytes_of(claim) > message_bytes) continue;
    batch.left -= claim.seats();
    take(number, batch);
  }
}

void Matchmaker::Impl::place_claims(Group& group, Step& step) {
  if (group.pinned.empty() && group.queue.empty()) return;
  if (!group.hold.may_ask()) return;
  const std::size_t before = group.asked.seats.size();
  place_pinned(group, step);
  std::uint32_t too_many = ~0U;  // no room has so many seats
  for (auto at = group.queue.begin(); at != group.queue.end();) {
    const ClaimNumber first = *at;
    const std::uint32_t seats = claims_.at(first).claim.seats();
    const Room* room = seats < too_many ? directory_.next_room(group.key, seats) : nullptr;
    if (room == nullptr) {
      too_many = std::min(too_many, seats);
      if (too_many == 1) break;
      ++at;
      continue;
    }
    const RoomId id = room->id;
    Batch batch{{}, room->free() - seats, 0};
    take(first, batch);
    fill(group, batch);
    ask(group, id, batch, step);
    at = group.queue.upper_bound(first);
  }
  if (group.asked.seats.size() > before) tell(group, hold::SeatsAsked{}, step);
}

void Matchmaker::Impl::ask(Group& group, const RoomId& room, Batch& batch, Step& step) {
  std::sort(batch.claims.begin(), batch.claims.end());
  wire::SeatRequest message;
  message.room = room.number;
  message.claims.reserve(batch.claims.size());
  for (const ClaimNumber number : batch.claims) {
    message.claims.push_back(claims_.at(number).claim);
  }
  ++counters_.seat_requests;
  counters_.claims_sent += batch.claims.size();
  directory_.set_asked(room, true);
  message.request = questions_.put(
      {&group, room.worker, SeatQuestion{room, std::move(batch.claims), batch.left, step.now}},
      step.now + options_.worker_reply);
  step.out.emplace_back(SendToWorker{room.worker, std::move(message)});
}

bool Matchmaker::Impl::ascending_below(const std::vector<std::uint32_t>& indices,
                                       std::size_t bound) {
  const auto out_of_order = std::adjacent_find(indices.begin(), indices.end(),
                                               [](auto left, auto right) { return left >= right; });
  return out_of_order == indices.end() && (indices.empty() || indices.back() < bound);
}

void Matchmaker::Impl::seat_reply(const WorkerId& worker, const wire::SeatReply& reply,
                                  Step& step) {
  const auto taken = take_question<SeatQuestion>(reply.request, worker);
  if (!taken) return;
  Group& group = *taken->group;
  const SeatQuestion& question = taken->about;
  directory_.set_asked(question.room, false);
  const bool sane =
      reply.room == question.room.number && ascending_below(reply.granted, question.claims.size());
  if (!sane) {
    for (const ClaimNumber number : question.claims) requeue_lost(number, step);
    close_link(worker, step);
    return;
  }
  const Room* before = directory_.find(question.room);
  const bool provisional = before != nullptr && before->provisional;
  directory_.seats_granted(question.room, reply);
  // The reply may overtake the news that say the same.
  const bool closed = before != nullptr && reply.phase == wire::RoomPhase::closed;
  if (closed && reply.reason == wire::CloseReason::boot_failed) ++counters_.boots_failed;
  const Reservation reservation{reply.reservation, question.asked_at, reply.granted_at,
                                reply.reserved_for};
  std::vector<PlayerHash> fresh = reply.seated;
  std::sort(fresh.begin(), fresh.end());
  auto granted = reply.granted.begin();
  for (std::uint32_t i = 0; i < question.claims.size(); ++i) {
    const ClaimNumber number = question.claims[i];
    const Waiting& waiting = claims_.at(number);
    const std::uint32_t seats = waiting.claim.seats();
    if (granted != reply.granted.end() && *granted == i) {
      ++granted;
      const PlayerHash player = hash_of(waiting.claim.player);
      if (!std::binary_search(fresh.begin(), fresh.end(), player)) ++counters_.same_seat_again;
      if (provisional) directory_.take_hinted(question.room, seats);
      bool new_seat = false;
      each_player(waiting.claim, [&](const PlayerId& each) {
        new_seat = new_seat || std::binary_search(fresh.begin(), fresh.end(), hash_of(each));
      });
      granted_seats(number, question.room, reservation, new_seat, step);
      continue;
    }
    directory_.denied(question.room, seats);
    if (waiting.tickets.empty()) {
      claims_.erase(number);
    } else if (waiting.claim.party.empty()) {
      claims_.enqueue(number);  // a seat that we thought its player had there is surely gone
    } else {
      place_denied(number, step);
    }
  }
  groups_.mark(group);
  room_news(question.room, reply.reason, step);
}

void Matchmaker::Impl::granted_seats(ClaimNumber number, const RoomId& id,
                                     const Reservation& reservation, bool fresh, Step& step) {
  Waiting& waiting = claims_.at(number);
  waiting.reserved = reservation;
  if (waiting.tickets.empty()) {
    release_seats(id, waiting, step);
    claims_.erase(number);
    return;
  }
  const Room* room = directory_.find(id);
  // Who has two seats already keeps both until one lapses: to go to and fro would end neither.
  const Room* better = room != nullptr && fresh ? better_seat(directory_, waiting, *room) : nullptr;
  if (better != nullptr) {
    give_way(number, id, *better, step);
    return;
  }
  if (room != nullptr && room->ready()) {
    seat_out(number, *room, step);
    return;
  }
  claims_.reserve(number, id);
}

void Matchmaker::Impl::seat_out(ClaimNumber number, const Room& room, Step& step) {
  Waiting& waiting = claims_.at(number);
  const Duration left = waiting.reserved.ends(room.opened_at, step.now) - step.now;
  if (left <= Duration{0}) {
    // The answer took longer than the seats last. Their players have them still, or ask anew.
    if (++waiting.losses <= most_losses) {
      claims_.pin(number, room.id);
    } else {
      refuse_claim(number, Refusal::wait_timeout, step);
      claims_.erase(number);
    }
    return;
  }
  const Worker* worker = directory_.find(room.id.worker);
  std::vector<PlayerId> players{waiting.claim.player};
  players.insert(players.end(), waiting.claim.party.begin(), waiting.claim.party.end());
  const std::vector<TicketId> tickets = waiting.tickets;
  for (const TicketId ticket : tickets) {
    drop_ticket(ticket);
    ++counters_.seated;
    step.out.emplace_back(
        Seated{ticket, room.id, room.group, worker->address, room.port, players, left});
  }
  claims_.erase(number);
}

void Matchmaker::Impl::release_seats(const RoomId& room, const Waiting& waiting, Step& step) {
  const Worker* worker = directory_.find(room.worker);
  if (worker == nullptr || worker->incarnation != room.incarnation) return;
  wire::ReleaseSeats message{room.number, {}, waiting.reserved.id};
  each_player(waiting.claim, [&](const PlayerId& player) { message.players.push_back(player); });
  directory_.give_back(room, waiting.claim.seats());
  step.out.emplace_back(SendToWorker{room.worker, std::move(message)});
}

void Matchmaker::Impl::room_news(const RoomId& id, wire::CloseReason reason, Step& step) {
  const std::vector<ClaimNumber> claims = claims_.reserved_in(id);
  if (claims.empty()) return;
  const Room* room = directory_.find(id);
  const bool gone = room == nullptr || !room->takes_players();
  if (!gone && !room->ready()) return;
  for (const ClaimNumber number : claims) {
    Waiting& waiting = claims_.at(number);
    if (!gone) {
      seat_out(number, *room, step);
      continue;
    }
    if (room != nullptr) release_seats(id, waiting, step);
    if (reason == wire::CloseReason::boot_failed) {
      ++waiting.boots_failed;
      waiting.avoid = id.worker;
    }
    requeue_lost(number, step);
  }
}

}  // namespace fixkeep::master
