#include "worker/core/promises.hpp"

#include <algorithm>

namespace fixkeep::worker {

FencingToken Promises::highest(const GroupKey& group) const {
  const auto found = entries_.find(group);
  return found == entries_.end() ? floor_ : found->second.highest;
}

bool Promises::accept(const GroupKey& group, FencingToken token, TimePoint now) {
  if (token < highest(group)) return false;
  entries_[group].highest = token;
  use(group, now);
  if (entries_.size() > most_) {
    const auto& oldest = entries_.at(by_turn_.begin()->second);
    floor_ = std::max(floor_, oldest.highest);
    forget_oldest();
  }
  return true;
}

TimePoint Promises::next_tick() const {
  if (by_turn_.empty()) return TimePoint::max();
  return entries_.at(by_turn_.begin()->second).used + memory_;
}

void Promises::use(const GroupKey& group, TimePoint now) {
  Entry& entry = entries_.at(group);
  by_turn_.erase(entry.turn);  // turn 0, that of a new entry, is nobody's
  entry.used = now;
  entry.turn = ++turn_;
  by_turn_.emplace(entry.turn, group);
}

void Promises::forget_oldest() {
  entries_.erase(by_turn_.begin()->second);
  by_turn_.erase(by_turn_.begin());
}

}  // namespace fixkeep::worker
