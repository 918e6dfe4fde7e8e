#include "worker/core/boot_backoff.hpp"

#include <algorithm>
#include <utility>

namespace fixkeep::worker {

const BootPause* BootBackoff::failed(FailedBoot failure, TimePoint now) {
  Failing& mode = failing_[failure.mode];
  if (failure.room <= mode.counted) return nullptr;
  if (mode.opened && now - *mode.opened >= options_.settled) mode = {};
  mode.opened.reset();
  mode.counted = failure.newest;
  mode.length =
      std::min(mode.length == Duration{0} ? options_.first : 2 * mode.length, options_.most);
  ++mode.pause.failures;
  if (mode.length == Duration{0}) return nullptr;
  mode.pause.until = now + mode.length;
  mode.pause.why = std::move(failure.why);
  mode.paused = changed_ = true;
  return &mode.pause;
}

void BootBackoff::opened(const ModeName& mode, TimePoint now) {
  const auto found = failing_.find(mode);
  if (found == failing_.end()) return;
  if (!found->second.opened) found->second.opened = now;
  if (std::exchange(found->second.paused, false)) changed_ = true;
}

void BootBackoff::forget(const ModeName& mode) {
  const auto found = failing_.find(mode);
  if (found == failing_.end()) return;
  if (found->second.paused) changed_ = true;
  failing_.erase(found);
}

const BootPause* BootBackoff::pause(const ModeName& mode) const {
  const auto found = failing_.find(mode);
  return found == failing_.end() || !found->second.paused ? nullptr : &found->second.pause;
}

TimePoint BootBackoff::next_tick() const {
  TimePoint next = TimePoint::max();
  for (const auto& [name, mode] : failing_) {
    if (mode.paused) next = std::min(next, mode.pause.until);
  }
  return next;
}

void BootBackoff::tick(TimePoint now) {
  for (auto& [name, mode] : failing_) {
    if (!mode.paused || mode.pause.until > now) continue;
    mode.paused = false;
    changed_ = true;
  }
}

bool BootBackoff::take_changed() {
  return std::exchange(changed_, false);
}

}  // namespace fixkeep::worker
