// Limits how often a master begins holds of pools.
//
// Any client's request makes a pool due, and a decision visits all waiting claims. Therefore work
// for pools gets only a bounded share of the deciding thread. After such work the master begins no
// hold of any pool for nine times the duration of the work. This work includes the master's own
// decisions and its lending to other masters. The driver measures the work. A pool has at most one
// hold in a batch of events, because all events of a batch have the same time.
//
// Thread rule: a value, one owner; reads no clock. Bounds: a rest lasts at most `longest_rest`,
// because on a slow machine players would otherwise wait too long; one entry per pool until the
// pool is forgotten. Errors: none.
#pragma once

#include <algorithm>
#include <chrono>
#include <map>
#include <utility>

#include "common/base/ids.hpp"
#include "common/base/time.hpp"

namespace fixkeep::master {

class PoolPace {
 public:
  static constexpr int rest_for_work = 9;
  static constexpr Duration longest_rest = std::chrono::seconds{1};

  void hold_begins(const GroupKey& pool, TimePoint at) {
    begun_at_[pool] = at;
    works();
  }
  void works() { has_worked_ = true; }
  // Returns whether there was work since the last call. If so, the driver reports its duration.
  [[nodiscard]] bool take_worked() { return std::exchange(has_worked_, false); }
  void worked(Duration took, TimePoint at) {
    rests_until_ = std::max(rests_until_, at) + rest_for_work * took;
    rests_until_ = std::min(rests_until_, at + longest_rest);
  }
  // Returns the earliest time at which the pool's next hold is allowed to begin.
  [[nodiscard]] TimePoint rests_until(const GroupKey& pool) const {
    const auto begun = begun_at_.find(pool);
    if (begun == begun_at_.end()) return rests_until_;
    return std::max(rests_until_, begun->second + Duration{1});
  }
  void forget(const GroupKey& pool) { begun_at_.erase(pool); }

 private:
  std::map<GroupKey, TimePoint> begun_at_;  // start of the last hold
  TimePoint rests_until_ = TimePoint::min();
  bool has_worked_ = false;
};

}  // namespace fixkeep::master
