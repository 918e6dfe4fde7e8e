// Handles warm rooms that got a group, and finds workers that may make warm rooms.
#include <algorithm>

#include "common/wire/warm_pool.hpp"
#include "master/core/directory/directory.hpp"

namespace fixkeep::master {

namespace {

constexpr std::uint32_t least_headroom = 2;  // a worker's last place is for players

}  // namespace

bool Directory::can_warm(const ModeName& mode) const {
  return std::any_of(workers_.begin(), workers_.end(),
                     [&](const auto& entry) { return entry.second.can_warm(mode); });
}

bool Worker::can_warm(const ModeName& mode) const {
  return known && room_left() >= least_headroom && starts(mode) && !never_warm.contains(mode);
}

void Directory::forget_warm(const WorkerId& worker, const ModeName& mode) {
  if (Worker* known = worker_of(worker)) known->never_warm.insert(mode);
}

std::map<WorkerId, WarmRooms> Directory::warm_rooms(const GroupKey& pool) const {
  std::map<WorkerId, WarmRooms> found;
  for (const RoomId& id : rooms_of(pool)) {
    const Room* room = find(id);
    if (room == nullptr || room->provisional) continue;
    WarmRooms& of_worker = found[id.worker];
    ++(room->phase == wire::RoomPhase::open ? of_worker.open : of_worker.starting);
  }
  return found;
}

std::size_t Directory::rooms_in_use(const ModeName& mode) const {
  const auto at = in_use_.find(mode);
  return at == in_use_.end() ? 0 : at->second;
}

bool Directory::may_turn(const GroupKey& before, const GroupKey& told) {
  return before == told || wire::is_warm_pool(before) != wire::is_warm_pool(told);
}

// Call if a lock value says that the room was given to the group. The worker's news of this comes
// later.
void Directory::give(Room& room, const GroupKey& group) {
  if (!room.provisional) worker_of(room.id.worker)->closed.add(room.group, room.creation);
  leave(room);
  room.group = group;
  enter(room);
  note(room);
}

}  // namespace fixkeep::master
