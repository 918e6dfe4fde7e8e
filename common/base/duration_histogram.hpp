// A histogram counts durations in buckets. The upper end of each bucket is twice the upper end of
// the previous bucket.
//
// Counting costs two additions and the search for the highest bit, so it is cheap enough for every
// event on the hot path. Bucket i holds durations from 2^(i-1) to below 2^i microseconds. The last
// bucket has no upper end: it begins at 2^26 microseconds (67 seconds). The sum is exact. Thread
// rule: a value with one owner. Errors: none; a negative duration counts as zero.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <cstddef>
#include <cstdint>

#include "common/base/time.hpp"

namespace fixkeep {

class DurationHistogram {
 public:
  static constexpr std::size_t buckets = 28;
  using Counts = std::array<std::uint64_t, buckets>;

  void add(Duration duration) {
    const auto us = std::max<std::int64_t>(
        0, std::chrono::duration_cast<std::chrono::microseconds>(duration).count());
    sum_us_ += static_cast<std::uint64_t>(us);
    ++counts_[std::min<std::size_t>(std::bit_width(static_cast<std::uint64_t>(us)), buckets - 1)];
  }

  // Adds the counts and the sum of `other`.
  void add(const DurationHistogram& other);

  // Returns the upper end of the bucket in microseconds. Do not call it for the last bucket, which
  // has no upper end.
  [[nodiscard]] static constexpr std::uint64_t end_us(std::size_t bucket) { return 1ULL << bucket; }

  [[nodiscard]] const Counts& counts() const { return counts_; }
  [[nodiscard]] std::uint64_t sum_us() const { return sum_us_; }
  [[nodiscard]] std::uint64_t count() const;
  // Returns the percentile `share` (0.5: the median), rounded up to the end of its bucket, in
  // microseconds. For the last bucket this is 2^27. Returns 0 if the histogram is empty. REQUIRES:
  // 0 < share <= 1.
  [[nodiscard]] std::uint64_t percentile_us(double share) const;

  friend bool operator==(const DurationHistogram&, const DurationHistogram&) = default;

 private:
  Counts counts_{};
  std::uint64_t sum_us_ = 0;
};

}  // namespace fixkeep
