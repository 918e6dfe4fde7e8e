// OwnLateness measures how late the load generator itself is: a tick is due every 50 ms, and it is
// noted how long after that it was served. What players measure is late by as much, whatever the
// rest comes from.
//
// A tick that was missed counts, with the time that it has been due, so that one long pause weighs
// as much as the time it took (without that, a second away would be one value among many).
// Thread rule: a value, without a clock of its own. Bounds: 20 numbers a second of the run.
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
