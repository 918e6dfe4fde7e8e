// Measured times and their summary. Percentiles are by nearest rank.
// Thread rule: a value, one owner.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <vector>

namespace fixkeep::lock_node {

class Samples {
 public:
  void reserve(std::size_t count) { microseconds_.reserve(count); }
  void add(std::chrono::steady_clock::duration time) {
    microseconds_.push_back(std::chrono::duration<double, std::micro>(time).count());
  }
  void clear() { microseconds_.clear(); }
  [[nodiscard]] std::size_t size() const { return microseconds_.size(); }

  // REQUIRES: 0 < percent <= 100. Returns 0 if there are no samples.
  [[nodiscard]] double percentile(std::size_t percent) {
    if (microseconds_.empty()) return 0;
    const auto rank = (percent * microseconds_.size() + 99) / 100 - 1;
    const auto at = microseconds_.begin() + static_cast<std::ptrdiff_t>(rank);
    std::nth_element(microseconds_.begin(), at, microseconds_.end());
    return *at;
  }

  [[nodiscard]] nlohmann::json summary() {
    return {{"count", size()},
            {"p50", percentile(50)},
            {"p90", percentile(90)},
            {"p99", percentile(99)},
            {"max", percentile(100)}};
  }

 private:
  std::vector<double> microseconds_;
};

}  // namespace fixkeep::lock_node
