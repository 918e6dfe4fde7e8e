#include "master/core/seats/seat_need.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "master/core/seam/each_player.hpp"
#include "master/rules/plan/first_fit.hpp"

namespace fixkeep::master {

std::uint32_t SeatNeed::not_taken(const std::vector<ClaimNumber>& claims, const Room* room) const {
  std::uint32_t seats = 0;
  for (const ClaimNumber number : claims) {
    const Waiting* const waiting = claims_.find(number);
    if (waiting == nullptr) continue;
    if (waiting->askers->tickets.empty()) {
      seats += waiting->claim.seats();
    } else if (room != nullptr) {
      each_player(waiting->claim, [&](const PlayerId& player) {
        seats += static_cast<std::uint32_t>(directory_.has_seat(*room, player));
      });
    }
  }
  return seats;
}

template <class Take>
void SeatNeed::each_expected(const Group& group, Count count, Take take) const {
  const bool exactly = count == Count::exactly;
  questions_.each_asked_room(group, [&](const SeatQuestion& asked) {
    const Room* room = directory_.find(asked.room);
    if (room == nullptr || !room->takes_players()) return;
    const std::uint32_t left = exactly ? not_taken(asked.claims, room) : 0;
    const std::uint32_t takes = asked.seats - std::min(asked.seats, left);
    if (const std::uint32_t free = room->free(); free > takes) {
      take(Expected{free - takes, room->gathers()});
    }
  });
  for (const auto& [worker, order] : questions_.orders(group)) {
    take(Expected{order->spare + (exactly ? not_taken(order->claims, nullptr) : 0)});
  }
  for (const std::uint32_t spare : group.lock->hinted.ordered().seats()) take(Expected{spare});
}

std::vector<SeatNeed::Expected> SeatNeed::expected(const Group& group) const {
  std::vector<Expected> rooms;
  each_expected(group, Count::exactly, [&](const Expected& room) { rooms.push_back(room); });
  return rooms;
}

template <class Visit>
void SeatNeed::each_claim(const Group& group, std::vector<Expected>&& rooms, Visit visit) const {
  const ClaimQueue& queue = group.claims->queue;
  const auto put_all = [&](bool no_backfill) {
    std::vector<std::uint32_t> seats;
    seats.reserve(rooms.size());
    for (const Expected& room : rooms)
      seats.push_back(no_backfill && !room.gathers ? 0 : room.seats);
    plan::FirstFit fit{std::move(seats)};
    for (const ClaimNumber number : queue.in_order()) {
      const wire::Claim& claim = claims_.at(number).claim;
      if (claim.no_backfill != no_backfill) continue;
      const auto room = fit.put(claim.seats());
      if (room) rooms[*room].seats -= claim.seats();
      visit(number, room.has_value());
    }
  };
  if (queue.has_no_backfill()) put_all(true);
  put_all(false);
}

bool SeatNeed::any(const Group& group) const {
  if (*group.pool_due) return true;
  const ClaimQueue& queue = group.claims->queue;
  if (queue.empty()) return false;
  const auto fewer_than_queued = [&](Count count) {
    std::uint64_t seats = 0;
    each_expected(group, count, [&](const Expected& room) { seats += room.seats; });
    return queue.seats() > seats;
  };
  if (fewer_than_queued(Count::at_least) && fewer_than_queued(Count::exactly)) return true;
  const bool alike = !queue.has_no_backfill();
  if (alike && queue.seats() == queue.size())
    return false;  // every claim needs one seat, so every claim fits
  std::vector<Expected> rooms = expected(group);
  // If some claim fits nowhere, each room has fewer seats left than the largest claim needs:
  // together at most `left_over`. With more seats, all claims fit.
  const std::uint64_t left_over = rooms.size() * std::uint64_t{queue.largest() - 1};
  const std::uint64_t all =
      std::accumulate(rooms.begin(), rooms.end(), std::uint64_t{0},
                      [](std::uint64_t sum, const Expected& room) { return sum + room.seats; });
  if (alike && all >= queue.seats() + left_over) return false;
  bool needed = false;
  each_claim(group, std::move(rooms), [&](ClaimNumber, bool fits) { needed = needed || !fits; });
  return needed;
}

std::vector<ClaimNumber> SeatNeed::claims(const Group& group) const {
  std::vector<ClaimNumber> left_over;
  each_claim(group, expected(group), [&](ClaimNumber number, bool fits) {
    if (!fits) left_over.push_back(number);
  });
  std::sort(left_over.begin(), left_over.end());
  return left_over;
}

events::KeptBack SeatNeed::kept_back(const Group& group) const {
  events::KeptBack kept;
  each_claim(group, expected(group), [&](ClaimNumber number, bool fits) {
    if (!fits) return;
    ++kept.claims;
    kept.seats += claims_.at(number).claim.seats();
  });
  return kept;
}

}  // namespace fixkeep::master
