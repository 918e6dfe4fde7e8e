#include "worker/core/promises.hpp"

#include <algorithm>

namespace fixkeep::worker {

FencingToken Promises::highest(const GroupKey& group) const {
  const auto found = entries_.find(group);
  return found == entries_.end() ? floor_ : found->second.highest;
}

bool Promises::promise(const GroupKey& group, FencingToken token, TimePoint now) {
  if (token < highest(group)) return false;
  saw(group, token, now);
  if (const auto entry = entries_.find(group); entry != entries_.end()) {
    entry->second.promised = token;
  }
  return true;
}

bool Promises::allow(const GroupKey& group, FencingToken token, FencingToken basis, TimePoint now) {
  const auto entry = entries_.find(group);
  if ((entry == entries_.end() ? floor_ : entry->second.promised) > basis) return false;
  saw(group, token, now);
  return true;
}

void Promises::saw(const GroupKey& group, FencingToken token, TimePoint now) {
  const auto [entry, fresh] = entries_.try_emplace(group, Entry{floor_, floor_, now, 0});
  entry->second.highest = std::max(entry->second.highest, token);
  use(group, now);
  if (entries_.size() > most_) {
    const auto& oldest = entries_.at(by_turn_.begin()->second);
    floor_ = std::max(floor_, oldest.highest);
    forget_oldest();
  }
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
