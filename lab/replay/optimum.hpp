// Finds the best duels in hindsight: the pairs with the least sum of distance and waiting. The
// result is exact: a minimum-weight perfect matching (LEMON).
//
// The cost of a pair is |difference of numbers| + lambda * |difference of arrivals in seconds|.
// best_pairs() compares all pairs, so use it only for a part of a day's arrivals.
// Thread rule: a free function. Bounds: `optimum_most` arrivals. Errors: none.
#pragma once

#include <cstdint>
#include <vector>

#include "common/base/time.hpp"

namespace fixkeep::client_sim::replay {

inline constexpr std::size_t optimum_most = 1'000;

struct Point {
  Duration at{};
  std::int64_t number = 0;
};

struct Optimum {
  std::vector<double> distances;  // distance of each pair
  std::vector<double> waits_s;    // wait of the first player of each pair
  double cost = 0;
};

// Returns no pairs for an odd number of points or for more than optimum_most.
[[nodiscard]] Optimum best_pairs(const std::vector<Point>& points, double lambda);

}  // namespace fixkeep::client_sim::replay
