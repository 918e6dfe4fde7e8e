// The matches whose rooms have ended, as far as this master has heard (common/wire/match.hpp).
//
// A match is remembered for `memory`. Beyond `most` matches, the oldest are forgotten early: their
// workers still remember them. Thread rule: one owner. Errors: none.
#pragma once

#include <chrono>
#include <cstddef>
#include <deque>
#include <set>
#include <utility>

#include "common/base/ids.hpp"
#include "common/base/time.hpp"

namespace fixkeep::master {

class EndedMatches {
 public:
  static constexpr Duration memory = std::chrono::hours{1};
  static constexpr std::size_t most = 100'000;

  [[nodiscard]] bool contains(const GroupKey& group) const { return groups_.contains(group); }

  void add(const GroupKey& group, TimePoint now) {
    while (!by_age_.empty() && by_age_.front().first <= now) forget_oldest();
    if (!groups_.insert(group).second) return;
    by_age_.emplace_back(now + memory, group);
    if (by_age_.size() > most) forget_oldest();
  }

 private:
  void forget_oldest() {
    groups_.erase(by_age_.front().second);
    by_age_.pop_front();
  }

  std::set<GroupKey> groups_;
  std::deque<std::pair<TimePoint, GroupKey>> by_age_;
};

}  // namespace fixkeep::master
