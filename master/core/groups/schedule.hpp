// Keys, each with the time when it is due. Keys with the same time are ordered by key.
//
// Thread rule: a value, one owner. Bounds: those of the callers. Errors: none.
#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <utility>

#include "common/base/time.hpp"

namespace fixkeep::master {

template <class Key>
class Schedule {
 public:
  // A key may be in the schedule several times, at different times.
  void add(TimePoint at, Key key) { due_.emplace(at, std::move(key)); }
  void remove(TimePoint at, const Key& key) { due_.erase({at, key}); }

  // The first due key, or null. The pointer is valid until the schedule changes.
  [[nodiscard]] const Key* due(TimePoint now) const {
    return due_.empty() || due_.begin()->first > now ? nullptr : &due_.begin()->second;
  }
  // Removes and returns the first due key, or nothing.
  [[nodiscard]] std::optional<Key> take_due(TimePoint now) {
    if (due(now) == nullptr) return std::nullopt;
    return std::move(due_.extract(due_.begin()).value().second);
  }
  [[nodiscard]] TimePoint next() const {  // TimePoint::max() if empty
    return due_.empty() ? TimePoint::max() : due_.begin()->first;
  }
  [[nodiscard]] std::size_t size() const { return due_.size(); }

 private:
  std::set<std::pair<TimePoint, Key>> due_;
};

}  // namespace fixkeep::master
