// StartPace measures how many processes wait for their start, and how fast processes start. Masters
// plan with these numbers.
//
// A start costs milliseconds, and far more on a busy machine. While processes wait, a worker offers
// no more rooms than it can start within the time `ahead`, if it starts them as fast as the latest
// rooms. Orders thus go to the worker that can start them first. If no worker can start an order
// soon, the order waits in its master, which can later choose any worker.
//
// Thread rule: a value, one owner. Bounds: a few numbers. Errors: none.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <limits>

#include "common/base/time.hpp"

namespace fixkeep::worker {

class StartPace {
 public:
  static constexpr Duration ahead = std::chrono::seconds{5};
  // This number of processes may always wait, even at a slow or unknown pace.
  static constexpr std::uint32_t always = 32;

  void ordered() { ++queued_; }
  // Notes that a waiting process was cancelled before its start.
  void given_up() { --queued_; }
  void begun(TimePoint now) {
    --queued_;
    if (was_queue_) {
      const Duration took = now - last_begun_;
      interval_ = interval_ == Duration{} ? took : interval_ + (took - interval_) / 8;
    }
    was_queue_ = queued_ > 0;
    last_begun_ = now;
  }

  [[nodiscard]] std::uint32_t queued() const { return queued_; }
  // Returns 0 if the pace is not known: no process has had to wait yet.
  [[nodiscard]] std::uint32_t per_minute() const {
    if (interval_ <= Duration{}) return 0;
    return static_cast<std::uint32_t>(std::chrono::minutes{1} / interval_);
  }
  // Returns how many more orders the worker can start soon. No limit while no process waits.
  [[nodiscard]] std::uint32_t room() const {
    if (queued_ == 0) return std::numeric_limits<std::uint32_t>::max();
    const auto soon = interval_ <= Duration{} ? 0 : static_cast<std::uint32_t>(ahead / interval_);
    const std::uint32_t most = std::max(always, soon);
    return most - std::min(most, queued_);
  }

 private:
  std::uint32_t queued_ = 0;
  bool was_queue_ = false;  // when the last process was begun, another process waited
  TimePoint last_begun_;
  Duration interval_{};  // time between starts, smoothed over about eight
};

}  // namespace fixkeep::worker
