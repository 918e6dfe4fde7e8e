#include "master/core/seats/seat_need.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
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
    if (const std::uint32_t free = room->free(); free > takes) take(free - takes);
  });
  for (const auto& [worker, order] : questions_.orders(group)) {
    take(order->spare + (exactly ? not_taken(order->claims, nullptr) : 0));
  }
  for (const std::uint32_t spare : group.lock->hinted.ordered().seats()) take(spare);
}

std::vector<std::uint32_t> SeatNeed::expected(const Group& group) const {
  std::vector<std::uint32_t> seats;
  each_expected(group, Count::exactly, [&](std::uint32_t of_room) { seats.push_back(of_room); });
  return seats;
}

bool SeatNeed::any(const Group& group) const {
  if (*group.pool_due) return true;
  if (group.claims->queue.empty()) return false;
  const auto fewer_than_queued = [&](Count count) {
    std::uint64_t seats = 0;
    each_expected(group, count, [&](std::uint32_t of_room) { seats += of_room; });
    return group.claims->queue.seats() > seats;
  };
  if (fewer_than_queued(Count::at_least) && fewer_than_queued(Count::exactly)) return true;
  if (group.claims->queue.seats() == group.claims->queue.size())
    return false;  // every claim needs one seat, so every claim fits
  std::vector<std::uint32_t> seats = expected(group);
  // If some claim fits nowhere, each room has fewer seats left than the largest claim needs:
  // together at most `left_over`. With more seats, all claims fit.
  const std::uint64_t left_over = seats.size() * std::uint64_t{group.claims->queue.largest() - 1};
  const std::uint64_t all = std::accumulate(seats.begin(), seats.end(), std::uint64_t{0});
  if (all >= group.claims->queue.seats() + left_over) return false;
  plan::FirstFit rooms{std::move(seats)};
  return !std::all_of(
      group.claims->queue.in_order().begin(), group.claims->queue.in_order().end(),
      [&](ClaimNumber number) { return rooms.put(claims_.at(number).claim.seats()).has_value(); });
}

std::vector<ClaimNumber> SeatNeed::claims(const Group& group) const {
  plan::FirstFit rooms{expected(group)};
  std::vector<ClaimNumber> left_over;
  for (const ClaimNumber number : group.claims->queue.in_order()) {
    if (!rooms.put(claims_.at(number).claim.seats())) left_over.push_back(number);
  }
  return left_over;
}

events::KeptBack SeatNeed::kept_back(const Group& group) const {
  plan::FirstFit rooms{expected(group)};
  events::KeptBack kept;
  for (const ClaimNumber number : group.claims->queue.in_order()) {
    const std::uint32_t seats = claims_.at(number).claim.seats();
    if (!rooms.put(seats)) continue;
    ++kept.claims;
    kept.seats += seats;
  }
  return kept;
}

}  // namespace fixkeep::master
