// Things to look at, each at a time of its own. Several at one time go in their own order.
//
// Thread rule: a value, one owner. Bounds: what is added. Errors: none.
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
  // The same key may be there several times, at different times.
  void add(TimePoint at, Key key) { due_.emplace(at, std::move(key)); }
  void remove(TimePoint at, const Key& key) { due_.erase({at, key}); }

  // The first due key, or null. Valid until the schedule changes.
  [[nodiscard]] const Key* due(TimePoint now) const {
    return due_.empty() || due_.begin()->first > now ? nullptr : &due_.begin()->second;
  }
  // The same, taken out.
  [[nodiscard]] std::optional<Key> take_due(TimePoint now) {
    if (due(now) == nullptr) return std::nullopt;
    return std::move(due_.extract(due_.begin()).value().second);
  }
  [[nodiscard]] TimePoint next() const {  // TimePoint::max() if there is nothing
    return due_.empty() ? TimePoint::max() : due_.begin()->first;
  }
  [[nodiscard]] std::size_t size() const { return due_.size(); }

 private:
  std::set<std::pair<TimePoint, Key>> due_;
};

}  // namespace fixkeep::master
