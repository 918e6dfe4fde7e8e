// How sure a rate is that comes from a count of rare, independent events.
//
// Thread rule: a free function. Source: F. Garwood, "Fiducial limits for the Poisson distribution",
// Biometrika 28 (1936): the exact interval, by quantiles of the chi-squared distribution.
#pragma once

#include <boost/math/distributions/chi_squared.hpp>
#include <cstdint>

namespace fixkeep::sim {

// Holds the true mean of what was counted in 95 of 100 cases, or more.
struct CountInterval {
  double low = 0;
  double high = 0;
};

[[nodiscard]] inline CountInterval interval_of(std::uint64_t counted) {
  using boost::math::chi_squared;
  constexpr double outside = 0.025;  // on either side
  const auto twice = 2.0 * static_cast<double>(counted);
  CountInterval interval;
  if (counted > 0) interval.low = quantile(chi_squared{twice}, outside) / 2;
  interval.high = quantile(chi_squared{twice + 2}, 1 - outside) / 2;
  return interval;
}

}  // namespace fixkeep::sim
