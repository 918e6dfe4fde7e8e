#include "master/core/orders/warm_pools.hpp"

#include <algorithm>

namespace fixkeep::master {

WarmPools::WarmPools(const MasterOptions& options, Directory& directory, GroupTable& groups)
    : directory_(directory), groups_(groups) {
  renew(options.modes.warm);
}

// A pool that `modes` no longer names may be in the middle of a hold. Such a pool is kept, but
// wants no rooms.
void WarmPools::renew(const std::vector<WarmMode>& modes) {
  for (auto& [key, pool] : pools_) pool.mode.rule = {.least = 0};
  for (const WarmMode& mode : modes) {
    pools_[wire::warm_pool_of(mode.name, mode.capacity)].mode = mode;
  }
  seen_ = {};
}

wire::KeepWarm WarmPools::keep_warm() const {
  wire::KeepWarm message;
  for (const auto& [key, pool] : pools_) {
    if (pool.mode.rule.most > 0) message.pools.push_back(key);
  }
  return message;
}

WarmPools::Circumstances WarmPools::circumstances() const {
  return {directory_.rooms_generation(), directory_.capacity_generation(), groups_.anybody_sleeps(),
          rank_};
}

bool WarmPools::look(TimePoint now) {
  if (pools_.empty()) return false;
  const Circumstances present = circumstances();
  if (present == seen_ && now < next_look_) return false;
  seen_ = present;
  next_look_ = TimePoint::max();
  bool to_run = false;
  for (auto& [key, pool] : pools_) {
    Group* group = groups_.find(key);
    const bool due = look_at(key, pool, group, now);
    if (due == (group != nullptr && *group->pool_due)) continue;
    group = &groups_.find_or_make(key, {pool.mode.name, pool.mode.capacity});
    group->pool_due.change() = due;
    groups_.mark(*group);
    to_run = true;
  }
  return to_run;
}

void WarmPools::look_at(Group& group, TimePoint now) {
  const auto pool = pools_.find(group.key);
  if (pool != pools_.end())
    group.pool_due.change() = look_at(pool->first, pool->second, &group, now);
}

bool WarmPools::look_at(const GroupKey& key, Pool& pool, const Group* group, TimePoint now) {
  const std::int64_t before = std::exchange(pool.missing, missing(key, pool, group));
  // A holder keeps its turn until it releases the lock, even when a worker refuses its order.
  const bool holding = group != nullptr && group->lock->hold.active();
  if (pool.missing == 0) {
    if (!holding) pool.turn = TimePoint::max();
    return false;
  }
  if (pool.turn == TimePoint::max() || (before < 0) != (pool.missing < 0)) {
    pool.turn = now + turn * rank_ + (pool.missing < 0 ? too_many_for : gather);
  }
  const TimePoint at = holding ? pool.rests_until : std::max(pool.turn, pool.rests_until);
  if (at > now) {
    next_look_ = std::min(next_look_, at);
    return false;
  }
  return pool.missing < 0 || (!groups_.anybody_sleeps() && directory_.can_warm(pool.mode.name));
}

std::int64_t WarmPools::missing(const Group& group) const {
  return missing(group.key, pools_.at(group.key), &group);
}

std::int64_t WarmPools::missing(const GroupKey& key, const Pool& pool, const Group* group) const {
  const std::size_t ordered = group == nullptr ? 0 : group->asked->orders.size();
  const std::size_t there = directory_.rooms_of(key).size() + ordered;
  const std::uint32_t wanted = pool.mode.rule.wanted(directory_.rooms_in_use(pool.mode.name));
  return std::int64_t{wanted} - static_cast<std::int64_t>(there);
}

std::vector<RoomId> WarmPools::too_many(const Group& group) const {
  const auto starts = [this](const RoomId& id) {
    const Room* room = directory_.find(id);
    return room != nullptr && room->phase == wire::RoomPhase::starting;
  };
  const std::set<RoomId>& all = directory_.rooms_of(group.key);
  std::vector<RoomId> rooms{all.rbegin(), all.rend()};
  std::stable_partition(rooms.begin(), rooms.end(), starts);
  const auto most = static_cast<std::size_t>(std::max<std::int64_t>(-missing(group), 0));
  if (rooms.size() > most) rooms.resize(most);
  return rooms;
}

void WarmPools::failed(const GroupKey& key, TimePoint now) {
  const auto at = pools_.find(key);
  if (at == pools_.end()) return;
  Pool& pool = at->second;
  if (now < pool.rests_until) return;  // already counted: several rooms failed together
  const bool forgiven = pool.failed_at == TimePoint::min() || now - pool.failed_at > forgiven_after;
  pool.rest = forgiven ? rest_least : std::min(2 * pool.rest, rest_most);
  pool.failed_at = now;
  pool.rests_until = now + pool.rest;
  seen_ = {};
}

void WarmPools::closing(const GroupKey& key, TimePoint now) {
  pools_.at(key).rests_until = now + rest_least;
  seen_ = {};
}

}  // namespace fixkeep::master
