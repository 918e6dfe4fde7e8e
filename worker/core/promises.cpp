#include "worker/core/promises.hpp"

#include <algorithm>

#include "common/lock/machine_bytes.hpp"

namespace fixkeep::worker {

const Promises::Entry* Promises::find(const GroupKey& group) const {
  const auto found = entries_.find(group);
  return found == entries_.end() ? nullptr : &found->second;
}

FencingToken Promises::highest(const GroupKey& group) const {
  const Entry* entry = find(group);
  return entry == nullptr ? floor_ : entry->highest;
}

bool Promises::promise(const GroupKey& group, FencingToken token, TimePoint now) {
  if (token <= highest(group)) return false;
  saw(group, token, now).promised = token;
  forget_beyond_most();
  return true;
}

bool Promises::allow(const GroupKey& group, const CreationId& order, FencingToken basis,
                     TimePoint now) {
  const Entry* entry = find(group);
  if ((entry == nullptr ? promised_floor_ : entry->promised) > basis) return false;
  if (entry == nullptr && order.token <= floor_) return false;
  const bool same = entry != nullptr && order.token == entry->highest;
  if (same && entry->orderer && entry->orderer != order.orderer) return false;
  Entry& seen = saw(group, order.token, now);
  if (order.token == seen.highest) seen.orderer = order.orderer;
  forget_beyond_most();
  return true;
}

Promises::Entry& Promises::saw(const GroupKey& group, FencingToken token, TimePoint now) {
  Entry& entry = entries_.try_emplace(group, Entry{{}, {}, promised_floor_, now, 0}).first->second;
  if (token > entry.highest) {
    entry.highest = token;
    entry.orderer.reset();
  }
  highest_counter_ = std::max(highest_counter_, token.counter);
  use(group, now);
  return entry;
}

void Promises::forget_beyond_most() {
  if (entries_.size() <= most_) return;
  const Entry& oldest = entries_.at(by_turn_.begin()->second);
  promised_floor_ = std::max(promised_floor_, oldest.highest);
  forget_oldest();
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
  const auto oldest = entries_.find(by_turn_.begin()->second);
  floor_ = std::max(floor_, oldest->second.highest);
  entries_.erase(oldest);
  by_turn_.erase(by_turn_.begin());
}

void Promises::append_bytes(std::string& out) const {
  lock::MachineBytes bytes{out};
  bytes.put(floor_, promised_floor_, highest_counter_, entries_.size());
  for (const auto& [group, entry] : entries_) {
    bytes.put(group, entry.highest, entry.orderer, entry.promised);
  }
}

}  // namespace fixkeep::worker
