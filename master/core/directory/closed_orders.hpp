// The orders whose rooms a worker has shown and closed since.
//
// A lock value may name an order long after its room has come and gone, if nobody had a use for the
// lock meanwhile. Whoever has seen the room knows better than to wait for it.
// Thread rule: a value, one owner. Bounds: the latest `most`; of one that is forgotten a master
// waits once for a room that does not come. Errors: none.
#pragma once

#include <cstddef>
#include <deque>
#include <set>
#include <utility>

#include "common/base/ids.hpp"

namespace fixkeep::master {

class ClosedOrders {
 public:
  static constexpr std::size_t most = 1000;

  void add(const GroupKey& group, const CreationId& creation) {
    const auto [at, added] = orders_.emplace(group, creation);
    if (!added) return;
    by_age_.push_back(*at);
    if (by_age_.size() <= most) return;
    orders_.erase(by_age_.front());
    by_age_.pop_front();
  }
  [[nodiscard]] bool contains(const GroupKey& group, const CreationId& creation) const {
    return orders_.contains({group, creation});
  }

 private:
  using Order = std::pair<GroupKey, CreationId>;

  std::set<Order> orders_;
  std::deque<Order> by_age_;
};

}  // namespace fixkeep::master
