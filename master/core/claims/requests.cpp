#include "master/core/claims/requests.hpp"

#include <algorithm>
#include <chrono>
#include <utility>
#include <vector>

#include "common/base/assert.hpp"
#include "master/core/claims/one_seat.hpp"
#include "master/core/directory/matches.hpp"
#include "master/core/directory/teams.hpp"
#include "master/core/seam/each_player.hpp"
#include "master/rules/group_key.hpp"

namespace fixkeep::master {
namespace {

constexpr Duration longest_retry = std::chrono::minutes{5};

Duration usual_retry(Refusal reason) {
  using std::chrono::seconds;
  switch (reason) {
    case Refusal::not_joined: return seconds{1};
    case Refusal::queue_full: return seconds{1};
    case Refusal::no_capacity: return seconds{5};
    case Refusal::boot_failed: return seconds{2};
    case Refusal::too_many_rooms: return seconds{5};
    case Refusal::wait_timeout: return seconds{1};
    case Refusal::lock_timeout: return seconds{1};
    case Refusal::lock_unavailable: return seconds{2};
    case Refusal::party_too_large: return seconds{0};
    case Refusal::already_seated: return seconds{5};
    case Refusal::stopping: return seconds{1};
    case Refusal::room_full: return seconds{5};
    case Refusal::room_closed: return seconds{0};
    case Refusal::worker_away: return seconds{1};
    case Refusal::match_differs: return seconds{0};
    case Refusal::match_ended: return seconds{0};
  }
  return seconds{1};
}

}  // namespace

std::optional<Refusal> Requests::refusal_of(const wire::Claim& claim) const {
  if (claims_.players().most_claims(claim) >= most_claims_of_player) return Refusal::queue_full;
  if (directory_.most_seats(claim) >= most_seats_of_player) return Refusal::already_seated;
  return std::nullopt;
}

std::optional<Refusal> Requests::refusal_of(const MatchRequested& request,
                                            std::optional<ClaimNumber> waits) const {
  if (stopping_) return Refusal::stopping;
  const std::uint32_t party = request.rules ? request.rules->party : request.capacity;
  if (request.claim.seats() > std::min(party, request.capacity)) return Refusal::party_too_large;
  if (tickets_.size() >= options_.waiting_requests) return Refusal::queue_full;
  const Group* group = groups_.find(request.group);
  const bool full = group != nullptr && *group->tickets >= options_.waiting_requests_per_group;
  if (full) return Refusal::queue_full;
  if (!waits) return refusal_of(request.claim);
  const bool often = claims_.at(*waits).askers->tickets.size() >= most_tickets_of_claim;
  return often ? std::optional{Refusal::queue_full} : std::nullopt;
}

std::optional<Refusal> Requests::refusal_of(const RoomId& id) const {
  const Worker* worker = directory_.find(id.worker);
  if (worker == nullptr || !worker->known) return Refusal::worker_away;
  const Room* room = directory_.find(id);
  if (room == nullptr || !room->takes_players()) return Refusal::room_closed;
  return std::nullopt;
}

std::optional<Refusal> Requests::enter_group_of_room(MatchRequested& request) const {
  if (!request.room) return std::nullopt;
  if (const auto refusal = refusal_of(*request.room)) return refusal;
  const Room& room = *directory_.find(*request.room);
  const bool fits = room.mode == request.mode && is_within(room.group.text(), request.group.text());
  if (!fits) return Refusal::room_closed;
  request.group = room.group;
  return std::nullopt;
}

std::optional<ClaimNumber> Requests::admit(MatchRequested&& request, Step& step) {
  ++counters_.requested;
  const auto closed = enter_group_of_room(request);
  const Group* known = groups_.find(request.group);
  const auto waits =
      known == nullptr ? std::nullopt : claims_.same(*known, request.claim, request.room);
  if (const auto refusal = closed ? closed : refusal_of(request, waits)) {
    ++counters_.refused;
    step.out.emplace_back(
        Refused{request.ticket, *refusal, retry_after(*refusal, ClaimPlace::nowhere)});
    return std::nullopt;
  }
  Group& group = groups_.find_or_make(
      request.group, {std::move(request.mode), request.capacity, std::move(request.rules),
                      request.newcomers, request.newcomers_for});
  groups_.mark(group);

  const TimePoint since = std::min(request.since.value_or(step.now), step.now);
  if (waits) {
    ++counters_.same_seat_again;
    attach(*waits, request.ticket, request.deadline);
    grow_older(*waits, since);
    if (claims_.at(*waits).where->place == ClaimPlace::reserved) {
      step.out.emplace_back(Matched{request.ticket, true});
    }
    return std::nullopt;
  }
  const ClaimNumber number =
      claims_.add(group, std::move(request.claim), request.one_seat_per, std::move(request.room));
  Waiting& waiting = claims_.at(number);
  waiting.askers.change().client = std::move(request.client);
  waiting.askers.change().since = since;
  attach(number, request.ticket, request.deadline);
  return number;
}

std::optional<WaitingGroup> Requests::waits_for(TicketId ticket) const {
  const auto number = tickets_.claim_of(ticket);
  if (!number) return std::nullopt;
  const Group& group = *claims_.at(*number).group;
  return WaitingGroup{group.key, *group.tickets};
}

std::optional<WhyWaits> Requests::why(TicketId ticket) const {
  const auto number = tickets_.claim_of(ticket);
  if (!number) return std::nullopt;
  const Waiting& waiting = claims_.at(*number);
  if (!waiting.group->is_pool()) return std::nullopt;
  return WhyWaits{waiting.group->rooms->rules, waiting.told->why, waiting.told->at};
}

std::optional<PoolClaim> Requests::pool_claim(TicketId ticket) const {
  const auto number = tickets_.claim_of(ticket);
  if (!number) return std::nullopt;
  const Waiting& waiting = claims_.at(*number);
  if (!waiting.group->is_pool()) return std::nullopt;
  const ClaimPlace place = waiting.where->place;
  return PoolClaim{waiting.group->key,
                   waiting.group->rooms->mode,
                   *waiting.group->rooms->rules,
                   *waiting.group->tickets,
                   *number,
                   waiting.claim,
                   waiting.askers->since,
                   place == ClaimPlace::queued || place == ClaimPlace::lent};
}

void Requests::attach(ClaimNumber number, TicketId ticket, TimePoint deadline) {
  Waiting& waiting = claims_.at(number);
  waiting.askers.change().tickets.push_back(ticket);
  ++waiting.group->tickets.change();
  tickets_.add(ticket, number, deadline);
}

// Moves the start of the claim's wait back to `since`. The claim may then have wider limits, so its
// pool plans for it again, like for a new claim.
void Requests::grow_older(ClaimNumber number, TimePoint since) {
  Waiting& waiting = claims_.at(number);
  if (since >= waiting.askers->since) return;
  waiting.askers.change().since = since;
  if (waiting.where->place == ClaimPlace::queued) claims_.enqueue(number);
}

void Requests::detach(TicketId ticket) {
  Waiting& waiting = claims_.at(tickets_.claim_of(ticket).value());
  std::erase(waiting.askers.change().tickets, ticket);
  --waiting.group->tickets.change();
  tickets_.remove(ticket);
}

void Requests::cancel(TicketId ticket, Step& step) {
  const auto number = tickets_.claim_of(ticket);
  if (!number) return;
  ++counters_.cancelled;
  detach(ticket);
  if (claims_.at(*number).askers->tickets.empty()) withdraw(*number, step);
}

void Requests::expire(Step& step) {
  while (const TicketId* due = tickets_.due(step.now)) {
    const TicketId ticket = *due;
    const ClaimNumber number = tickets_.claim_of(ticket).value();
    refuse(ticket, reason_of(claims_.at(number)), step);
    if (claims_.at(number).askers->tickets.empty()) withdraw(number, step);
  }
}

void Requests::stop(Step& step) {
  stopping_ = true;
  while (const TicketId* due = tickets_.due(TimePoint::max())) {
    const TicketId ticket = *due;
    const ClaimNumber number = tickets_.claim_of(ticket).value();
    refuse(ticket, Refusal::stopping, step);
    if (claims_.at(number).askers->tickets.empty()) withdraw(number, step);
  }
}

Refusal Requests::reason_of(const Waiting& waiting) const {
  if (waiting.where->place == ClaimPlace::parked) return Refusal::already_seated;
  if (waiting.seats->boots_failed > 0) return Refusal::boot_failed;
  if (waiting.where->place == ClaimPlace::reserved) return Refusal::wait_timeout;
  if (unjoined_) return *unjoined_;
  if (waiting.group->standing->no_capacity) return Refusal::no_capacity;
  const auto& failed = waiting.group->lock->failed;
  if (!failed) return Refusal::wait_timeout;
  return *failed == lock::LostReason::engine_failure ? Refusal::lock_unavailable
                                                     : Refusal::lock_timeout;
}

// Returns the time after which the client should retry. If no worker had a place for the client's
// room, the client should retry when the rooms before it have started. A client whose room is
// already starting should retry soon, because that room is kept for a while.
Duration Requests::retry_after(Refusal reason, ClaimPlace place) const {
  const bool has_room = place == ClaimPlace::ordered || place == ClaimPlace::reserved;
  const bool of_starts =
      reason == Refusal::no_capacity || (reason == Refusal::wait_timeout && !has_room);
  const auto wait = of_starts ? directory_.start_wait(groups_.sleeping()) : std::nullopt;
  return wait ? std::min<Duration>(*wait, longest_retry) : usual_retry(reason);
}

std::vector<PlayerId> Requests::elsewhere(TicketId ticket) const {
  const ClaimNumber number = tickets_.claim_of(ticket).value();
  const Waiting& waiting = claims_.at(number);
  const Room* own =
      waiting.only ? directory_.find(*waiting.only) : room_of_match(directory_, waiting.group->key);
  std::vector<PlayerId> players;
  each_player(waiting.claim, [&](const PlayerId& player) {
    bool found = false;
    directory_.each_seat(player, [&](const Room& room) {
      found = found || (&room != own && in_scope(directory_, waiting, room));
    });
    claims_.players().each_claim(player, [&](ClaimNumber other) {
      const Group& earlier = *claims_.at(other).group;
      found = found || (other < number && in_scope(waiting, earlier.rooms->mode, earlier.key));
    });
    if (found) players.push_back(player);
  });
  return players;
}

void Requests::refuse(TicketId ticket, Refusal reason, Step& step) {
  const Waiting& waiting = claims_.at(tickets_.claim_of(ticket).value());
  Duration later = retry_after(reason, waiting.where->place);
  const Duration unpaid = budget_.wait(waiting.askers->client, step.now);
  if (reason == Refusal::too_many_rooms && unpaid > Duration{0}) later = unpaid;
  auto because = reason == Refusal::wait_timeout ? why(ticket) : std::nullopt;
  auto players = reason == Refusal::already_seated ? elsewhere(ticket) : std::vector<PlayerId>{};
  detach(ticket);
  ++counters_.refused;
  step.out.emplace_back(Refused{ticket, reason, later, std::move(because), std::move(players)});
}

void Requests::refuse(ClaimNumber number, Refusal reason, Step& step) {
  const std::vector<TicketId> tickets = claims_.at(number).askers->tickets;
  for (const TicketId ticket : tickets) refuse(ticket, reason, step);
}

void Requests::turn_away(ClaimNumber number, Refusal reason, Step& step) {
  refuse(number, reason, step);
  claims_.erase(number);
}

// Returns the player's team as the room's worker has reported it. If the worker has not reported it
// yet, returns the team that the decision named.
std::string Requests::team_of(const PlayerId& player, const Waiting& waiting, const Room& room) {
  const auto told = team_in(room, player);
  if (told) return team_name(*told);
  const std::uint32_t decided = waiting.seats->reserved.team;
  return decided == 0 ? std::string{} : team_name(decided - 1);
}

void Requests::seat(ClaimNumber number, const Room& room, Duration left, Step& step) {
  const Worker* worker = directory_.find(room.id.worker);
  const Waiting& waiting = claims_.at(number);
  Seated told{
      {},  room.id, room.group, worker->seat_root, room.place.value(), players_of(waiting.claim),
      left};
  if (told.place.host.empty()) told.place.host = worker->address;
  // The worker keeps no seats for players that have left the list meanwhile.
  const auto& match = waiting.claim.match;  // null for a seat that a lying worker gives
  if (room.match && match && !match->joins) {
    std::erase_if(told.players,
                  [&](const PlayerId& player) { return room.match->find(player) == nullptr; });
  }
  if (const auto& rules = waiting.group->rooms->rules; rules && rules->teams) {
    for (const auto& player : told.players) told.teams.push_back(team_of(player, waiting, room));
  }
  const auto take_ticket = [&] {
    told.ticket = waiting.askers->tickets.front();
    detach(told.ticket);
    ++counters_.seated;
  };
  while (waiting.askers->tickets.size() > 1) {
    take_ticket();
    step.out.emplace_back(told);
  }
  if (!waiting.askers->tickets.empty()) {
    take_ticket();
    step.out.emplace_back(std::move(told));
  }
  claims_.erase(number);
}

void Requests::tell_matched(ClaimNumber number, bool has_seats, Step& step) const {
  for (const TicketId ticket : claims_.at(number).askers->tickets) {
    step.out.emplace_back(Matched{ticket, has_seats});
  }
}

void Requests::withdraw(ClaimNumber number, Step& step) {
  const Waiting& waiting = claims_.at(number);
  groups_.mark(*waiting.group);
  switch (waiting.where->place) {
    case ClaimPlace::asked:
    case ClaimPlace::ordered:
    case ClaimPlace::lent: return;  // seats in a later answer are given back
    case ClaimPlace::nowhere:
    case ClaimPlace::queued:
    case ClaimPlace::parked:
    case ClaimPlace::unseen: break;  // LostSeats gives back the claim's seats
    case ClaimPlace::pinned:         // perhaps to ask for its seats again
      if (waiting.seats->reserved.id == ReservationId{}) break;
      [[fallthrough]];
    case ClaimPlace::reserved: give_back(waiting.where->room, waiting, step); break;
  }
  claims_.erase(number);
}

void Requests::give_back(const RoomId& room, const Waiting& waiting, Step& step) {
  directory_.give_back(room, waiting.claim.seats());
  lost_seats_.give_back(room, players_of(waiting.claim), waiting.seats->reserved.id, step);
}

void Requests::give_back_former(const RoomId& room, const Waiting& waiting, ReservationId latest,
                                Step& step) {
  const ReservationId former = waiting.seats->reserved.id;
  if (former == ReservationId{} || former == latest) return;
  lost_seats_.give_back(room, players_of(waiting.claim), former, step);
}

}  // namespace fixkeep::master
