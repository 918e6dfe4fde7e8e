#include "client-sim/report/seed_bands.hpp"

#include <algorithm>
#include <cmath>
#include <set>

namespace fixkeep::client_sim {

namespace {

// The value that the curve has from its last point up to `x` on; 0 before the first.
double step_at(const std::vector<CurvePoint>& curve, double x) {
  const auto after =
      std::upper_bound(curve.begin(), curve.end(), x,
                       [](double value, const CurvePoint& point) { return value < point.x; });
  return after == curve.begin() ? 0 : (after - 1)->y;
}

// All moments at which something changes, or as many evenly spread ones as a line may have.
std::vector<double> moments_of(const std::vector<const std::vector<CurvePoint>*>& curves) {
  std::set<double> moments;
  for (const auto* curve : curves) {
    for (const auto& point : *curve) moments.insert(point.x);
  }
  if (moments.size() <= most_band_points) return {moments.begin(), moments.end()};
  std::vector<double> even;
  const double step = *moments.rbegin() / static_cast<double>(most_band_points - 1);
  for (std::size_t index = 0; index < most_band_points; ++index) {
    even.push_back(step * static_cast<double>(index));
  }
  return even;
}

}  // namespace

Line band_of_steps(std::size_t style, const std::vector<const std::vector<CurvePoint>*>& curves) {
  Line line{.style = style, .points = {}, .steps = true, .lower = {}, .upper = {}};
  for (const double x : moments_of(curves)) {
    std::vector<double> values;
    values.reserve(curves.size());
    for (const auto* curve : curves) values.push_back(step_at(*curve, x));
    const auto span = spread(std::move(values));
    line.points.push_back({.x = x, .y = span.median});
    if (curves.size() < 2) continue;
    line.lower.push_back({.x = x, .y = span.min});
    line.upper.push_back({.x = x, .y = span.max});
  }
  return line;
}

Line band_of_times(std::size_t style, std::vector<std::vector<double>> times) {
  Line line{.style = style, .points = {}, .steps = false, .lower = {}, .upper = {}};
  std::erase_if(times, [](const auto& each) { return each.empty(); });
  if (times.empty()) return line;
  for (auto& each : times) std::sort(each.begin(), each.end());
  for (std::size_t index = 0; index < most_band_points; ++index) {
    const double percent = 100.0 * static_cast<double>(index + 1) / most_band_points;
    std::vector<double> values;
    values.reserve(times.size());
    for (const auto& each : times) values.push_back(nearest_rank(each, percent));
    const auto span = spread(std::move(values));
    if (index == 0) line.points.push_back({.x = span.median, .y = 0});
    if (!std::isinf(span.median)) line.points.push_back({.x = span.median, .y = percent});
    if (times.size() < 2) continue;
    line.lower.push_back({.x = span.min, .y = percent});
    line.upper.push_back({.x = span.max, .y = percent});
  }
  return line;
}

}  // namespace fixkeep::client_sim
