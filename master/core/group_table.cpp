#include "master/core/group_table.hpp"

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

void GroupTable::forget(const Group& group) {
  sleeping_.erase(group.key);
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
  // What has changed since a worker refused may be the very room that it had not then.
  const bool refused = !group.hold.excluded().empty();
  group.slept_at = refused ? group.hold.excluded_at() : generation;
  sleeping_.insert(group.key);
}

void GroupTable::wake(std::uint64_t generation) {
  if (woken_at_ == generation) return;
  woken_at_ = generation;
  for (const GroupKey& key : sleeping_) mark(key);
  sleeping_.clear();
}

std::vector<Group*> GroupTable::holding() {
  std::vector<Group*> found;
  for (const GroupKey& key : holding_) found.push_back(find(key));
  return found;
}

}  // namespace fixkeep::master
