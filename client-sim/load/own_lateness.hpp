// OwnLateness measures how late the load generator itself is: a tick is due every 50 ms and its
// delay is recorded. Times of players include as much lateness of our own.
//
// A missed tick counts with the time since it was due: a long pause weighs as much as it took.
// Otherwise a pause of one second would be one value among many. Thread rule: a value without a
// clock of its own. Bounds: 20 numbers a second of the run.
#pragma once

#include <chrono>
#include <vector>

namespace fixkeep::client_sim {

class OwnLateness {
 public:
  using Time = std::chrono::steady_clock::time_point;
  static constexpr std::chrono::milliseconds every{50};

  void begin(Time now) { next_ = now + every; }
  [[nodiscard]] Time next() const { return next_; }
  // REQUIRES: begin().
  void tick(Time now);

  // Work that is done at this moment was due up to so much earlier. Zero before begin().
  [[nodiscard]] std::chrono::milliseconds lag(Time now) const;
  [[nodiscard]] const std::vector<double>& all_ms() const { return all_ms_; }

 private:
  Time next_ = Time::max();
  double last_ms_ = 0;
  std::vector<double> all_ms_;
};

}  // namespace fixkeep::client_sim
