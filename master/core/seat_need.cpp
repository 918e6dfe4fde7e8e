#include "master/core/seat_need.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>

namespace fixkeep::master {
namespace {

class Rooms {
 public:
  explicit Rooms(std::vector<std::uint32_t> seats) : seats_(std::move(seats)) {}

  [[nodiscard]] std::uint64_t seats() const {
    return std::accumulate(seats_.begin(), seats_.end(), std::uint64_t{0});
  }
  // Takes so many seats of one room. False: no room has them.
  bool take(std::uint32_t wanted) {
    while (first_open_ < seats_.size() && seats_[first_open_] == 0) ++first_open_;
    const auto room =
        std::find_if(seats_.begin() + static_cast<std::ptrdiff_t>(first_open_), seats_.end(),
                     [&](std::uint32_t left) { return left >= wanted; });
    if (room == seats_.end()) return false;
    *room -= wanted;
    return true;
  }

 private:
  std::vector<std::uint32_t> seats_;
  std::size_t first_open_ = 0;  // the full rooms at the front are skipped
};

}  // namespace

std::vector<std::uint32_t> SeatNeed::expected(const Group& group) const {
  std::vector<std::uint32_t> seats;
  for (const auto& [id, asked] : questions_.asked_seats(group)) {
    const Room* room = directory_.find(id);
    if (room == nullptr || !room->takes_players()) continue;
    if (const std::uint32_t free = room->free(); free > asked) seats.push_back(free - asked);
  }
  for (const auto& [worker, order] : questions_.orders(group)) seats.push_back(order->spare);
  for (const std::uint32_t spare : group.hinted.ordered().seats()) seats.push_back(spare);
  return seats;
}

bool SeatNeed::any(const Group& group) const {
  if (group.pool_due) return true;
  if (group.queue.empty()) return false;
  Rooms rooms{expected(group)};
  if (group.queued_seats > rooms.seats()) return true;
  if (group.queued_seats == group.queue.size()) return false;  // each needs one seat
  return !std::all_of(group.queue.begin(), group.queue.end(), [&](ClaimNumber number) {
    return rooms.take(claims_.at(number).claim.seats());
  });
}

std::vector<ClaimNumber> SeatNeed::claims(const Group& group) const {
  Rooms rooms{expected(group)};
  std::vector<ClaimNumber> left_over;
  for (const ClaimNumber number : group.queue) {
    if (!rooms.take(claims_.at(number).claim.seats())) left_over.push_back(number);
  }
  return left_over;
}

events::KeptBack SeatNeed::kept_back(const Group& group) const {
  Rooms rooms{expected(group)};
  events::KeptBack kept;
  for (const ClaimNumber number : group.queue) {
    const std::uint32_t seats = claims_.at(number).claim.seats();
    if (!rooms.take(seats)) continue;
    ++kept.claims;
    kept.seats += seats;
  }
  return kept;
}

}  // namespace fixkeep::master
