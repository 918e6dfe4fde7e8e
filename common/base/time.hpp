// Time in the sans-IO cores: a point on a steady clock. The driver reads the clock and passes the
// time to the core.
//
// The clock type has no now(): a core cannot read the clock. The shells convert times of
// std::chrono::steady_clock. The simulator has a separate clock for each node. Wall-clock time
// never enters a core.
#pragma once

#include <chrono>
#include <cstdint>

namespace fixkeep {

using Duration = std::chrono::microseconds;

struct MonotonicClock {
  using duration = Duration;
  using rep = duration::rep;
  using period = duration::period;
  using time_point = std::chrono::time_point<MonotonicClock, duration>;
  static constexpr bool is_steady = true;
};

using TimePoint = MonotonicClock::time_point;

}  // namespace fixkeep
