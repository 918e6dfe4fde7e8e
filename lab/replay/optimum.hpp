// The best duels in hindsight: the pairs with exactly the least sum of distance and waiting by a
// minimum-weight perfect matching (LEMON).
//
// The cost of a pair is |difference of numbers| + lambda * |difference of arrivals in seconds|. All
// pairs are compared: this is for a stretch of arrivals and not for a day.
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

// There are no pairs of an odd number of points or of more than optimum_most.
[[nodiscard]] Optimum best_pairs(const std::vector<Point>& points, double lambda);

}  // namespace fixkeep::client_sim::replay
