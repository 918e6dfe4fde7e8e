// The locks of masters that have none of their own: played by the text, or served in order.
#include <algorithm>
#include <utility>
#include <variant>

#include "tests/scenarios/cluster/world.hpp"

namespace fixkeep::scenarios {

void World::order(const std::string& master, const master::LockOrder& order) {
  if (const auto* release = std::get_if<master::ReleaseLock>(&order)) {
    require(holding_.erase({master, release->group}) > 0, master + " releases what it has not");
  }
  if (serves_lock) {
    post(master, "lock", show(order), [this, master, order] { serve(master, order); });
    return;
  }
  see(master + " " + show(order));
  if (const auto* acquire = std::get_if<master::AcquireLock>(&order)) {
    locks_[acquire->group].waiting.push_back(master);
  } else if (const auto* abandon = std::get_if<master::AbandonLock>(&order)) {
    std::erase(locks_[abandon->group].waiting, master);
  }
}

std::string World::show(const master::LockOrder& order) const {
  if (const auto* acquire = std::get_if<master::AcquireLock>(&order)) {
    return "acquires " + acquire->group.text();
  }
  if (const auto* abandon = std::get_if<master::AbandonLock>(&order)) {
    return "abandons " + abandon->group.text();
  }
  const auto& release = std::get<master::ReleaseLock>(order);
  std::string line = "releases " + release.group.text();
  if (release.fence != FencingToken{}) line += " fence=" + text_of(release.fence);
  if (release.uncertain) line += " uncertain";
  for (const wire::RoomHint& each : release.hints) line += " " + MessageText::show(each);
  return line;
}

void World::serve(const std::string& master, const master::LockOrder& order) {
  if (const auto* acquire = std::get_if<master::AcquireLock>(&order)) {
    locks_[acquire->group].waiting.push_back(master);
    hand_out(acquire->group);
  } else if (const auto* abandon = std::get_if<master::AbandonLock>(&order)) {
    // If it was granted already, the master gives it back by itself.
    std::erase(locks_[abandon->group].waiting, master);
  } else if (const auto* release = std::get_if<master::ReleaseLock>(&order)) {
    Lock& lock = locks_[release->group];
    require(lock.holder == master, master + " does not hold " + release->group.text());
    lock.holder.clear();
    lock.highest = std::max(lock.highest, release->highest);
    lock.fence = release->fence;
    lock.uncertain = release->uncertain;
    lock.hints = release->hints;
    hand_out(release->group);
  }
}

void World::hand_out(const GroupKey& group) {
  Lock& lock = locks_[group];
  if (!lock.holder.empty() || lock.waiting.empty()) return;
  lock.holder = lock.waiting.front();
  lock.waiting.pop_front();
  lock.highest = token_after(lock.highest, master_of(lock.holder));
  post("lock", lock.holder, "Granted", [this, group, holder = lock.holder] {
    Lock& granted = locks_[group];
    if (granted.holder != holder) return;  // it was lost meanwhile
    grant(
        {group, granted.highest, granted.fence, needs_fence, granted.uncertain, granted.hints, {}},
        holder);
  });
}

void World::grant(master::LockGranted grant, const std::string& master) {
  if (!serves_lock) {
    auto& waiting = locks_[grant.group].waiting;
    require(std::erase(waiting, master) > 0, master + " has not asked for " + grant.group.text());
  }
  holding_.insert({master, grant.group});
  call_master(master, [&](auto& core, auto& out) { core.granted(std::move(grant), now, out); });
}

void World::lose(const GroupKey& group, lock::LostReason reason, const std::string& master) {
  Lock& lock = locks_[group];
  std::erase(lock.waiting, master);
  if (lock.holder == master) lock.holder.clear();
  holding_.erase({master, group});
  call_master(master, [&](auto& core, auto& out) { core.lost({{group, reason}}, now, out); });
}

}  // namespace fixkeep::scenarios
