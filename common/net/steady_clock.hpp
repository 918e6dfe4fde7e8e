// The clock of a real node: the only place where a driver reads time for a sans-IO core. Thread
// rule: free functions. Errors: none.
#pragma once

#include <ctime>

#include <chrono>

#include "common/base/time.hpp"

namespace fixkeep::net {

// Rounds down, so a core never gets a time in the future.
[[nodiscard]] inline TimePoint steady_now() {
  return TimePoint{
      std::chrono::duration_cast<Duration>(std::chrono::steady_clock::now().time_since_epoch())};
}

// Converts a time for Asio's timers.
[[nodiscard]] inline std::chrono::steady_clock::time_point to_steady(TimePoint at) {
  return std::chrono::steady_clock::time_point{at.time_since_epoch()};
}

// Returns the processor time of this thread. This costs a system call: do not call this function
// for each request.
[[nodiscard]] inline Duration thread_time() {
  timespec time{};
  (void)::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return std::chrono::duration_cast<Duration>(std::chrono::seconds{time.tv_sec} +
                                              std::chrono::nanoseconds{time.tv_nsec});
}

}  // namespace fixkeep::net
