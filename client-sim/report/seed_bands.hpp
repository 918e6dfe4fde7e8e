// Several seeds as one line, their median, with a band around it from the least to the most.
//
// Thread rule: pure functions. Bounds: most_band_points points a line, however many there were.
#pragma once

#include <cstddef>
#include <vector>

#include "client-sim/report/svg_plot.hpp"
#include "common/base/percentiles.hpp"

namespace fixkeep::client_sim {

inline constexpr std::size_t most_band_points = 400;

// Makes the band of curves that hold their values until their next point, and the last one for
// ever. At each moment the median, least and most of their values. One curve has no band.
[[nodiscard]] Line band_of_steps(std::size_t style,
                                 const std::vector<const std::vector<CurvePoint>*>& curves);

// Makes the band of times, a list for each seed; infinite means never. After how long a share of
// them (percent) had passed: in the median seed, and in the fastest and the slowest. The line ends
// where the time is infinite in the median seed.
[[nodiscard]] Line band_of_times(std::size_t style, std::vector<std::vector<double>> times);

}  // namespace fixkeep::client_sim
