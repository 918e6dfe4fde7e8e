// What happens when, in simulated time.
// Thread rule: one owner. Bounds: none. Errors: none.
#pragma once

#include <algorithm>
#include <chrono>
#include <functional>
#include <map>
#include <utility>

#include "common/base/time.hpp"

namespace fixkeep::worker::agones {

class Agenda {
 public:
  void later(Duration after, std::function<void()> what) {
    entries_.emplace(now + after, std::move(what));
  }
  [[nodiscard]] TimePoint next() const {
    return entries_.empty() ? TimePoint::max() : entries_.begin()->first;
  }
  void run_next() {
    now = std::max(now, next());
    const auto node = entries_.extract(entries_.begin());
    node.mapped()();
  }

  TimePoint now{std::chrono::seconds{1000}};

 private:
  std::multimap<TimePoint, std::function<void()>> entries_;
};

}  // namespace fixkeep::worker::agones
