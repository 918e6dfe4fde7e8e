// Simulated time: the one true time of a run, and what each node's steady clock says about it.
//
// True time starts at zero and is known to the simulator alone. A node sees its own clock, which
// started anywhere and runs a little fast or slow, as quartz does. Wall-clock time does not exist.
// Thread rule: values.
#pragma once

#include <cstdint>

#include "common/base/time.hpp"

namespace fixkeep::sim {

using SimTime = Duration;  // since the start of the run

inline constexpr SimTime never = SimTime::max();

class NodeClock {
 public:
  NodeClock() = default;
  NodeClock(Duration offset, std::int64_t drift_ppm) : offset_(offset), drift_ppm_(drift_ppm) {}

  [[nodiscard]] TimePoint at(SimTime time) const {
    return TimePoint{offset_ + time + Duration{time.count() * drift_ppm_ / 1'000'000}};
  }

  // The first true time at which at() is not before `local`, as exact as integers allow.
  [[nodiscard]] SimTime when(TimePoint local) const {
    if (local == TimePoint::max()) return never;
    const std::int64_t shown = (local.time_since_epoch() - offset_).count();
    SimTime time{shown * 1'000'000 / (1'000'000 + drift_ppm_)};
    while (at(time) < local) time += Duration{1};
    return time;
  }

 private:
  Duration offset_{};
  std::int64_t drift_ppm_ = 0;
};

}  // namespace fixkeep::sim
