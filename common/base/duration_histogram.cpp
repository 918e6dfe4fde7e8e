#include "common/base/duration_histogram.hpp"

#include <cmath>
#include <numeric>

namespace fixkeep {

void DurationHistogram::add(const DurationHistogram& other) {
  for (std::size_t i = 0; i < buckets; ++i) counts_[i] += other.counts_[i];
  sum_us_ += other.sum_us_;
}

std::uint64_t DurationHistogram::count() const {
  return std::accumulate(counts_.begin(), counts_.end(), std::uint64_t{0});
}

std::uint64_t DurationHistogram::percentile_us(double share) const {
  const auto rank = static_cast<std::uint64_t>(std::ceil(static_cast<double>(count()) * share));
  std::uint64_t seen = 0;
  for (std::size_t i = 0; i < buckets; ++i) {
    seen += counts_[i];
    if (seen > 0 && seen >= rank) return end_us(i);
  }
  return 0;
}

}  // namespace fixkeep
