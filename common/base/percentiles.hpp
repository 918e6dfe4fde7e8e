// Percentiles and step curves of measured times, and the fairness of shares.
//
// The percentile p is the smallest measured value for which at least p percent of the values are
// equal or smaller (nearest rank). There is no interpolation, so every figure in a report is the
// real wait of some player.
// Thread rule: free functions without state.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace fixkeep {

struct Percentiles {
  double p50 = 0;
  double p90 = 0;
  double p99 = 0;
  double max = 0;

  friend bool operator==(const Percentiles&, const Percentiles&) = default;
};

// Returns zero for every percentile if `values` is empty.
[[nodiscard]] Percentiles percentiles(std::vector<double> values);

// REQUIRES: `sorted` is in ascending order and not empty; 0 < percent <= 100.
[[nodiscard]] double nearest_rank(std::span<const double> sorted, double percent);

struct Spread {
  double min = 0;
  double median = 0;  // the lower of two middle values
  double max = 0;
};

[[nodiscard]] Spread spread(std::vector<double> values);

struct CurvePoint {
  double x = 0;
  double y = 0;

  friend bool operator==(const CurvePoint&, const CurvePoint&) = default;
};

// Returns Jain's index of fairness: 1 if all shares are equal, 1/n if only one of n shares is above
// zero, 0 if all shares are zero.
[[nodiscard]] double jain_index(std::span<const std::uint64_t> shares);

}  // namespace fixkeep
