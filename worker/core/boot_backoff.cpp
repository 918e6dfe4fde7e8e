#include "worker/core/boot_backoff.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace fixkeep::worker {

const BootPause* BootBackoff::failed(const FailedBoot& failure, TimePoint now) {
  group_failed(failure, now);
  Mode& mode = modes_[failure.mode];
  if (failure.room <= mode.counted) return nullptr;
  const bool lasted = mode.opened && now - mode.opened->at >= options_.lasting;
  if (lasted) {
    mode = {};
    mode.proved = true;
  } else if (mode.opened && mode.opened->group == failure.group) {
    mode.opened.reset();
  }
  mode.groups.insert(failure.group);
  if (mode.proved && mode.groups.size() < several) return nullptr;
  mode.groups.clear();
  begin(mode, failure,
        mode.proved ? std::min(options_.most, brief * options_.first) : options_.most, now);
  return mode.paused ? &mode.pause : nullptr;
}

void BootBackoff::group_failed(const FailedBoot& failure, TimePoint now) {
  FailingGroup& group = group_of(failure.group);
  group.mode = failure.mode;
  if (failure.room <= group.counted) return;
  const bool lasted = group.opened && now - *group.opened >= options_.lasting;
  if (lasted) static_cast<Failing&>(group) = {};
  group.opened.reset();
  begin(group, failure, options_.most, now);
}

BootBackoff::FailingGroup& BootBackoff::group_of(const GroupKey& group) {
  if (!groups_.contains(group) && groups_.size() >= most_groups) {
    groups_.erase(
        std::min_element(groups_.begin(), groups_.end(), [](const auto& left, const auto& right) {
          return left.second.pause.until < right.second.pause.until;
        }));
  }
  return groups_[group];
}

void BootBackoff::begin(Failing& failing, const FailedBoot& failure, Duration most, TimePoint now) {
  failing.counted = failure.newest;
  failing.length =
      std::min(failing.length == Duration{0} ? options_.first : 2 * failing.length, most);
  ++failing.pause.failures;
  if (failing.length == Duration{0}) return;
  failing.pause.until = now + failing.length;
  failing.pause.why = failure.why;
  failing.paused = changed_ = true;
}

void BootBackoff::end(Failing& failing) {
  if (std::exchange(failing.paused, false)) changed_ = true;
}

void BootBackoff::opened(const ModeName& mode, const GroupKey& group, TimePoint now) {
  Mode& opens = modes_[mode];
  if (!opens.opened) opens.opened = Opened{group, now};
  end(opens);
  const auto found = groups_.find(group);
  if (found == groups_.end()) return;
  if (!found->second.opened) found->second.opened = now;
  end(found->second);
}

void BootBackoff::forget(const ModeName& mode) {
  const auto found = modes_.find(mode);
  if (found == modes_.end()) return;
  end(found->second);
  modes_.erase(found);
  for (auto group = groups_.begin(); group != groups_.end();) {
    const bool its = group->second.mode == mode;
    if (its) end(group->second);
    group = its ? groups_.erase(group) : std::next(group);
  }
}

const BootPause* BootBackoff::pause(const ModeName& mode) const {
  const auto found = modes_.find(mode);
  return found == modes_.end() || !found->second.paused ? nullptr : &found->second.pause;
}

bool BootBackoff::pauses(const GroupKey& group) const {
  const auto found = groups_.find(group);
  return found != groups_.end() && found->second.paused;
}

TimePoint BootBackoff::next_tick() const {
  TimePoint next = TimePoint::max();
  for (const auto& [name, mode] : modes_) {
    if (mode.paused) next = std::min(next, mode.pause.until);
  }
  for (const auto& [key, group] : groups_) {
    if (group.paused) next = std::min(next, group.pause.until);
  }
  return next;
}

void BootBackoff::tick(TimePoint now) {
  for (auto& [name, mode] : modes_) {
    if (mode.pause.until <= now) end(mode);
  }
  for (auto& [key, group] : groups_) {
    if (group.pause.until <= now) end(group);
  }
  std::erase_if(groups_, [&](const auto& entry) {
    return !entry.second.paused && entry.second.pause.until + options_.most <= now;
  });
}

bool BootBackoff::take_changed() {
  return std::exchange(changed_, false);
}

}  // namespace fixkeep::worker
