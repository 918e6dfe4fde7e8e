// The matches whose room has ended here, so that no master makes another room for them.
//
// A match is remembered for `memory`. Beyond `most` matches, the oldest are forgotten early. Thread
// rule: one owner. Errors: none.
#pragma once

#include <chrono>
#include <cstddef>
#include <deque>
#include <set>
#include <utility>

#include "common/base/ids.hpp"
#include "common/base/time.hpp"
#include "worker/core/memory.hpp"

namespace fixkeep::worker {

class EndedMatches {
 public:
  static constexpr Duration memory = std::chrono::hours{1};
  static constexpr std::size_t most = Memory::most_creations;

  [[nodiscard]] bool contains(const GroupKey& group) const { return groups_.contains(group); }
  // Returns false if the match has ended before.
  bool add(const MatchEnded& ended) {
    if (!groups_.insert(ended.group).second) return false;
    by_age_.push_back(ended);
    if (by_age_.size() > most) forget_oldest();
    return true;
  }
  [[nodiscard]] TimePoint next_tick() const {
    return by_age_.empty() ? TimePoint::max() : by_age_.front().at + memory;
  }
  void forget_old(TimePoint now) {
    while (next_tick() <= now) forget_oldest();
  }
  void snapshot(Records& out) const {
    for (const MatchEnded& ended : by_age_) out.emplace_back(ended);
  }

 private:
  void forget_oldest() {
    groups_.erase(by_age_.front().group);
    by_age_.pop_front();
  }

  std::set<GroupKey> groups_;
  std::deque<MatchEnded> by_age_;
};

}  // namespace fixkeep::worker
