// HostClock is the clock by which a worker ends games and frees seats. The clock does not count
// time in which the worker cannot run. Then it stands still for the additional time `hears_first`,
// so that waiting messages are read before anything ends. It adds at most half of all time.
//
// Invariant: the time does not go back.
//
// Thread rule: one owner.
// Bounds: a few numbers. Errors: none.
#pragma once

#include <algorithm>
#include <chrono>
#include <utility>

#include "common/base/time.hpp"
#include "common/wire/messages.hpp"

namespace fixkeep::worker {

class HostClock {
 public:
  HostClock(TimePoint since, Duration hears_first) : started_(since), hears_first_(hears_first) {}

  void advance(TimePoint outside) { now_ = std::max(now_, outside - slept_); }
  // Late ticks in a row add the additional time once: the clock of a late worker must advance.
  void held_up(Duration late) {
    slept_ += late;
    was_late_ = true;
    if (!std::exchange(may_wait_, false)) return;
    slept_ += hears_first_;
    waits_again_ = now_ + hears_first_;
  }
  void ticked() {
    if (!std::exchange(was_late_, false) && now_ >= waits_again_) may_wait_ = true;
  }

  [[nodiscard]] TimePoint now() const { return now_; }
  // Converts a time of this clock to a time of the caller's clock.
  [[nodiscard]] TimePoint outside(TimePoint at) const {
    return at == TimePoint::max() ? at : at + slept_;
  }
  // The clock starts at 1 s: 0 is the time of an event that has not happened.
  [[nodiscard]] wire::WorkerTime worker_time() const {
    return std::chrono::duration_cast<wire::WorkerTime>(now_ - started_) + std::chrono::seconds{1};
  }

 private:
  TimePoint started_;
  Duration hears_first_;
  TimePoint now_;
  Duration slept_{};       // lag behind the caller's clock
  bool was_late_ = false;  // the next tick is late
  bool may_wait_ = true;   // the next held_up() also adds hears_first
  TimePoint waits_again_ = TimePoint::min();
};

}  // namespace fixkeep::worker
