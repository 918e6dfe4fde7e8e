#include "master/core/groups/group_table.hpp"

#include <utility>

namespace fixkeep::master {

Group* GroupTable::find(const GroupKey& key) {
  const auto at = groups_.find(key);
  return at == groups_.end() ? nullptr : &at->second;
}

Group& GroupTable::find_or_make(const GroupKey& key) {
  const auto [at, made] = groups_.try_emplace(key, options_);
  if (made) at->second.key = key;
  return at->second;
}

void GroupTable::forget(Group& group) {
  sleeping_.erase(group.place);
  groups_.erase(GroupKey{group.key});
}

void GroupTable::mark(Group& group) {
  if (group.marked) return;
  group.marked = true;
  marked_.push_back(&group);
}

void GroupTable::mark(const GroupKey& key) {
  if (Group* group = find(key)) mark(*group);
}

void GroupTable::mark_due(TimePoint now) {
  while (const auto key = timers_.take_due(now)) mark(*key);
}

void GroupTable::sleep(Group& group, std::uint64_t generation) {
  group.no_capacity = true;
  // A change since a worker refused may be the very room that it had not then.
  const bool refused = !group.hold.excluded().empty();
  group.slept_at = refused ? group.hold.excluded_at() : generation;
  if (group.place == 0) group.place = ++last_place_;
  sleeping_[group.place] = {&group, generation};
}

void GroupTable::set_waits_for_lock(Group& group, bool waits) {
  if (std::exchange(group.waits_for_lock, waits) == waits) return;
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
