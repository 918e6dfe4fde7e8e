// OwnLateness measures the delays of the load generator itself. A tick is due every 50 ms, and its
// delay is recorded. The players' times include these delays.
//
// A pause gives one value for each tick that was due during the pause: the time since this tick was
// due. If each pause gave only one value, a pause of one second would count the same as a single
// late tick. Thread rule: a value without its own clock.
// Bounds: 20 numbers a second of the run.
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

  // Returns how late this program may be with its work at `now`. Zero before begin().
  [[nodiscard]] std::chrono::milliseconds lag(Time now) const;
  [[nodiscard]] const std::vector<double>& all_ms() const { return all_ms_; }

 private:
  Time next_ = Time::max();
  double last_ms_ = 0;
  std::vector<double> all_ms_;
};

}  // namespace fixkeep::client_sim
