#include "master/core/hold/ordered_rooms.hpp"

#include <algorithm>
#include <utility>

namespace fixkeep::master {

void OrderedRooms::replace(std::vector<wire::RoomHint>&& hints) {
  const std::vector<Ordered> before = std::exchange(rooms_, {});
  for (wire::RoomHint& hint : hints) {
    const auto same = std::find_if(before.begin(), before.end(), [&](const Ordered& room) {
      return room.hint.ordered == hint.ordered;
    });
    add(std::move(hint));
    if (same == before.end()) continue;
    rooms_.back().until = same->until;
    rooms_.back().overdue = same->overdue;
  }
}

void OrderedRooms::add(wire::RoomHint&& hint) {
  rooms_.push_back({std::move(hint), TimePoint::max(), false});
}

void OrderedRooms::trust_until(TimePoint until) {
  for (Ordered& room : rooms_) {
    if (room.until == TimePoint::max()) room.until = until;
  }
}

bool OrderedRooms::time_passed(TimePoint now) {
  bool any = false;
  for (Ordered& room : rooms_) {
    if (room.overdue || room.until > now) continue;
    room.overdue = any = true;
  }
  return any;
}

bool OrderedRooms::seen(const CreationId& creation) {
  return std::erase_if(rooms_, [&](const Ordered& room) { return room.hint.ordered == creation; }) >
         0;
}

std::vector<wire::RoomHint> OrderedRooms::take(const WorkerId& worker) {
  std::vector<wire::RoomHint> taken;
  std::erase_if(rooms_, [&](const Ordered& room) {
    if (room.hint.room.worker != worker) return false;
    taken.push_back(room.hint);
    return true;
  });
  return taken;
}

std::vector<std::uint32_t> OrderedRooms::seats() const {
  std::vector<std::uint32_t> seats;
  for (const Ordered& room : rooms_) {
    if (!room.overdue && room.hint.free > 0) seats.push_back(room.hint.free);
  }
  return seats;
}

bool OrderedRooms::overdue() const {
  return std::any_of(rooms_.begin(), rooms_.end(),
                     [](const Ordered& room) { return room.overdue; });
}

std::vector<wire::RoomHint> OrderedRooms::hints() const {
  std::vector<wire::RoomHint> hints;
  hints.reserve(rooms_.size());
  for (const Ordered& room : rooms_) hints.push_back(room.hint);
  return hints;
}

}  // namespace fixkeep::master
