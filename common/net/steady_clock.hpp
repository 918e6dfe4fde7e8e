// The clock of a real node: the one place where a driver reads time for a sans-IO core.
// Thread rule: free functions. Errors: none.
#pragma once

#include <ctime>

#include <chrono>

#include "common/base/time.hpp"

namespace fixkeep::net {

// Rounded down: a core is never told of a time that has not come.
[[nodiscard]] inline TimePoint steady_now() {
  return TimePoint{
      std::chrono::duration_cast<Duration>(std::chrono::steady_clock::now().time_since_epoch())};
}

// Converts for timers of Asio.
[[nodiscard]] inline std::chrono::steady_clock::time_point to_steady(TimePoint at) {
  return std::chrono::steady_clock::time_point{at.time_since_epoch()};
}

// The processor time of this thread. A system call: not for the way of each request.
[[nodiscard]] inline Duration thread_time() {
  timespec time{};
  (void)::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return std::chrono::duration_cast<Duration>(std::chrono::seconds{time.tv_sec} +
                                              std::chrono::nanoseconds{time.tv_nsec});
}

}  // namespace fixkeep::net
