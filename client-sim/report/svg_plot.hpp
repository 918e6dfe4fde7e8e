// Plots as SVG: lines with bands, ranges over a few settings, bars.
//
// Each lock is drawn in its style (lock_style.hpp).
// Thread rule: free functions without state. All text is escaped here.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "client-sim/report/svg_axes.hpp"
#include "common/base/percentiles.hpp"

namespace fixkeep::client_sim {

// A line, and around it what the seeds span.
struct Line {
  std::size_t style = 0;
  std::vector<CurvePoint> points;
  bool steps = false;             // a value holds until the next point; the band, too
  std::vector<CurvePoint> lower;  // of the band; both empty: there is none
  std::vector<CurvePoint> upper;
};

[[nodiscard]] Drawing line_plot(const Axes& axes, const std::vector<Line>& lines,
                                const std::vector<Reference>& references);

// Ranges are what the seeds span in each of a few settings, the medians of one lock joined by its
// line. Locks stand side by side, so that equal values do not hide each other.
struct Ranges {
  std::size_t style = 0;
  std::vector<std::optional<Spread>> spans;  // by setting; without: not measured
};

// `settings` are the names along the x axis; x_max is not used.
[[nodiscard]] Drawing range_plot(const Axes& axes, const std::vector<std::string>& settings,
                                 const std::vector<Ranges>& all);

struct Bar {
  double value = 0;
  std::string hint;  // shown when pointed at
};

// Bars side by side over the whole width; x_max is not used.
[[nodiscard]] Drawing bar_plot(const Axes& axes, const std::vector<Bar>& bars, std::size_t style,
                               const std::vector<Reference>& references);

}  // namespace fixkeep::client_sim
