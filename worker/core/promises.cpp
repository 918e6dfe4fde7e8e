#include "worker/core/promises.hpp"

#include <algorithm>

#include "lock/core/machine_bytes.hpp"

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

bool Promises::has_passed(const GroupKey& group, FencingToken basis) const {
  const Entry* entry = find(group);
  return (entry == nullptr ? promised_floor_ : entry->promised) > basis;
}

bool Promises::allow(const GroupKey& group, const CreationId& order, FencingToken basis,
                     TimePoint now) {
  if (has_passed(group, basis)) return false;
  const Entry* entry = find(group);
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
  if (noting_) changed_.push_back(group);
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
  by_turn_.erase(entry.turn);  // no effect on a new entry (turn 0)
  entry.used = now;
  entry.turn = ++turn_;
  by_turn_.emplace(entry.turn, group);
}

void Promises::forget_oldest() {
  const auto oldest = entries_.find(by_turn_.begin()->second);
  floor_ = std::max(floor_, oldest->second.highest);
  if (noting_) changed_.push_back(oldest->first);
  entries_.erase(oldest);
  by_turn_.erase(by_turn_.begin());
}

// --- records -------------------------------------------------------------------------------------

namespace {

// Makes the record of a group. If `entry` is null, the group is forgotten, and only the floors
// cover it from now on. REQUIRES: the record of the floors comes before this record.
Record record_of(const GroupKey& group, const auto* entry) {
  if (entry == nullptr) return PromiseForgotten{group};
  return PromiseRecord{group, entry->highest, entry->orderer, entry->promised};
}

}  // namespace

Records Promises::take_records() {
  Records records;
  const auto known = [](const PromiseFloors& all) {
    return std::pair{all.floor, all.promised_floor};
  };
  if (known(floors()) != known(recorded_floors_)) records.emplace_back(floors());
  recorded_floors_ = floors();
  std::sort(changed_.begin(), changed_.end());
  changed_.erase(std::unique(changed_.begin(), changed_.end()), changed_.end());
  for (const GroupKey& group : changed_) records.push_back(record_of(group, find(group)));
  changed_.clear();
  return records;
}

void Promises::snapshot(Records& out) const {
  out.emplace_back(floors());
  for (const auto& [group, entry] : entries_) out.push_back(record_of(group, &entry));
}

void Promises::restore(const Memory& memory, TimePoint now) {
  floor_ = memory.floors.floor;
  promised_floor_ = memory.floors.promised_floor;
  for (const auto& [group, record] : memory.promises) {
    Entry& entry = saw(group, record.highest, now);
    entry.highest = record.highest;
    entry.orderer = record.orderer;
    entry.promised = record.promised;
  }
  highest_counter_ = std::max(highest_counter_, memory.floors.highest_counter);
  forget_beyond_most();
}

void Promises::append_bytes(std::string& out) const {
  lock::MachineBytes bytes{out};
  bytes.put(floor_, promised_floor_, highest_counter_, entries_.size());
  for (const auto& [group, entry] : entries_) {
    bytes.put(group, entry.highest, entry.orderer, entry.promised);
  }
}

}  // namespace fixkeep::worker
