#include "master/core/groups/group_table.hpp"

#include <algorithm>
#include <utility>

namespace fixkeep::master {

Group* GroupTable::find(const GroupKey& key) {
  const auto at = groups_.find(key);
  return at == groups_.end() ? nullptr : &at->second;
}

Group& GroupTable::find_or_make(const GroupKey& key, const RoomKind& rooms) {
  Group& group = groups_.try_emplace(key, key, options_).first->second;
  RoomKind& known = group.rooms.change();
  if (group.claims->members == 0) {
    known = rooms;
  } else {
    known.capacity = std::max(known.capacity, rooms.capacity);
  }
  return group;
}

void GroupTable::forget(Group& group) {
  sleeping_.erase(group.standing->place);
  groups_.erase(GroupKey{group.key});
}

void GroupTable::mark(Group& group) {
  if (std::exchange(group.standing.change().marked, true)) return;
  marked_.push_back(&group);
}

void GroupTable::mark(const GroupKey& key) {
  if (Group* group = find(key)) mark(*group);
}

void GroupTable::mark_due(TimePoint now) {
  while (const auto key = timers_.take_due(now)) mark(*key);
}

void GroupTable::sleep(Group& group, std::uint64_t generation) {
  Standing& standing = group.standing.change();
  standing.no_capacity = true;
  // The group tries again when the capacity generation differs from `slept_at`. If a worker
  // refused, `slept_at` is the generation at that refusal: a place may have become free since then.
  const bool refused = !group.lock->hold.excluded().empty();
  standing.slept_at = refused ? group.lock->hold.excluded_at() : generation;
  if (standing.place == 0) standing.place = ++last_place_;
  sleeping_[standing.place] = {&group, generation};
}

void GroupTable::found_capacity(Group& group) {
  Standing& standing = group.standing.change();
  standing.no_capacity = false;
  sleeping_.erase(std::exchange(standing.place, 0));
}

void GroupTable::set_waits_for_lock(Group& group, bool waits) {
  if (std::exchange(group.standing.change().waits_for_lock, waits) == waits) return;
  waits ? ++waiting_for_lock_ : --waiting_for_lock_;
}

std::size_t GroupTable::wake(std::uint64_t generation, std::size_t most) {
  if (tried_at_ == generation) return 0;
  if (std::exchange(waking_at_, generation) != generation) next_awake_ = 0;
  std::size_t woken = 0;
  for (auto at = sleeping_.lower_bound(next_awake_); at != sleeping_.end();) {
    if (at->second.since >= generation) {
      ++at;
      continue;
    }
    next_awake_ = at->first;
    if (woken == most) return woken;
    mark(*at->second.group);
    ++woken;
    at = sleeping_.erase(at);
  }
  tried_at_ = generation;
  return woken;
}

std::vector<Group*> GroupTable::holding() {
  std::vector<Group*> found;
  for (const GroupKey& key : holding_) found.push_back(find(key));
  return found;
}

}  // namespace fixkeep::master
