#include "worker/core/promises.hpp"

#include <algorithm>

namespace fixkeep::worker {

FencingToken Promises::highest(const GroupKey& group) const {
  const auto found = entries_.find(group);
  return found == entries_.end() ? floor_ : found->second.highest;
}

bool Promises::promise(const GroupKey& group, FencingToken token, TimePoint now) {
  if (token < highest(group)) return false;
  Entry& entry = entry_of(group, now);
  entry.highest = token;
  entry.fence = token;
  return true;
}

bool Promises::allow(const GroupKey& group, FencingToken token, FencingToken basis, TimePoint now) {
  const auto found = entries_.find(group);
  const FencingToken fence = found == entries_.end() ? fence_floor_ : found->second.fence;
  if (token < highest(group) || basis < fence) return false;
  entry_of(group, now).highest = token;
  return true;
}

Promises::Entry& Promises::entry_of(const GroupKey& group, TimePoint now) {
  const auto [entry, is_new] = entries_.try_emplace(group);
  if (is_new) {
    entry->second.highest = floor_;
    entry->second.fence = fence_floor_;
  }
  use(group, now);
  if (entries_.size() > most_) {
    const auto& oldest = entries_.at(by_turn_.begin()->second);
    floor_ = std::max(floor_, oldest.highest);
    fence_floor_ = std::max(fence_floor_, oldest.fence);
    forget_oldest();
  }
  return entry->second;
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
