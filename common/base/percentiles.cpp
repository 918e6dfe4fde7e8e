#include "common/base/percentiles.hpp"

#include <algorithm>
#include <cmath>

#include "common/base/assert.hpp"

namespace fixkeep {

double nearest_rank(std::span<const double> sorted, double percent) {
  FIXKEEP_ASSERT(!sorted.empty() && percent > 0 && percent <= 100, "no such percentile");
  const double share = percent * static_cast<double>(sorted.size()) / 100.0;
  // Subtracts 1e-9: otherwise a rounding error could turn 90 % of 10 values into rank 10, not 9.
  const auto rank = static_cast<std::size_t>(std::max(1.0, std::ceil(share - 1e-9)));
  return sorted[std::min(rank, sorted.size()) - 1];
}

Percentiles percentiles(std::vector<double> values) {
  if (values.empty()) return {};
  std::sort(values.begin(), values.end());
  return {.p50 = nearest_rank(values, 50),
          .p90 = nearest_rank(values, 90),
          .p99 = nearest_rank(values, 99),
          .max = values.back()};
}

Spread spread(std::vector<double> values) {
  if (values.empty()) return {};
  std::sort(values.begin(), values.end());
  return {.min = values.front(), .median = nearest_rank(values, 50), .max = values.back()};
}

double jain_index(std::span<const std::uint64_t> shares) {
  double sum = 0;
  double squares = 0;
  for (const std::uint64_t each : shares) {
    const auto share = static_cast<double>(each);
    sum += share;
    squares += share * share;
  }
  return squares == 0 ? 0 : sum * sum / (static_cast<double>(shares.size()) * squares);
}

}  // namespace fixkeep
