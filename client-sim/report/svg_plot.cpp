#include "client-sim/report/svg_plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "client-sim/report/lock_style.hpp"

namespace fixkeep::client_sim {

namespace {

constexpr double markers_of_a_line = 5;

std::string path_of(const std::vector<CurvePoint>& points, bool steps, const PlotFrame& frame) {
  std::string path;
  for (const auto& point : points) {
    const auto x = svg_number(frame.x(point.x));
    const auto y = svg_number(frame.y(point.y));
    if (path.empty()) {
      path += "M" + x + " " + y;
    } else if (steps) {
      path += "H" + x + "V" + y;
    } else {
      path += "L" + x + " " + y;
    }
  }
  return path;
}

// The corners of a line that is drawn in steps.
std::vector<CurvePoint> corners_of(const std::vector<CurvePoint>& points, bool steps) {
  if (!steps) return points;
  std::vector<CurvePoint> corners;
  for (const auto& point : points) {
    if (!corners.empty()) corners.push_back({.x = point.x, .y = corners.back().y});
    corners.push_back(point);
  }
  return corners;
}

std::string draw_band(const Line& line, const PlotFrame& frame) {
  auto outline = corners_of(line.lower, line.steps);
  const auto upper = corners_of(line.upper, line.steps);
  if (outline.empty() || upper.empty()) return {};
  outline.insert(outline.end(), upper.rbegin(), upper.rend());
  return fmt::format("<path class=\"band c{}\" d=\"{}Z\"/>\n", line.style,
                     path_of(outline, false, frame));
}

// The line's height at `x`, if it reaches so far.
std::optional<double> height_at(const Line& line, double x) {
  const auto after = std::find_if(line.points.begin(), line.points.end(),
                                  [x](const CurvePoint& point) { return point.x > x; });
  if (after == line.points.begin() || after == line.points.end()) return {};
  const auto before = after - 1;
  if (line.steps || after->x <= before->x) return before->y;
  return before->y + (after->y - before->y) * (x - before->x) / (after->x - before->x);
}

// Markers of different locks stand at different places, so that lines upon each other are seen.
std::string draw_markers(const Line& line, double x_max, const PlotFrame& frame) {
  std::string svg;
  const double shift = (static_cast<double>(line.style) + 0.5) / lock_styles;
  for (double index = 0; index < markers_of_a_line; ++index) {
    const double x = x_max * (index + shift) / markers_of_a_line;
    if (const auto y = height_at(line, x)) svg += marker_of(line.style, frame.x(x), frame.y(*y));
  }
  return svg;
}

std::string draw_line(const Line& line, const PlotFrame& frame) {
  if (line.points.empty()) return {};
  return fmt::format("<path class=\"line c{}\" d=\"{}\"/>\n", line.style,
                     path_of(line.points, line.steps, frame));
}

struct Places {
  std::vector<double> of_setting;  // x of the middle of each
  double between_locks = 0;
};

Places places_of(std::size_t settings, std::size_t locks) {
  Places places;
  const double slot =
      PlotFrame::inner_width / static_cast<double>(std::max<std::size_t>(settings, 1));
  for (std::size_t index = 0; index < settings; ++index) {
    places.of_setting.push_back(PlotFrame::left + slot * (static_cast<double>(index) + 0.5));
  }
  places.between_locks =
      std::min(18.0, slot * 0.72 / static_cast<double>(std::max<std::size_t>(locks, 1)));
  return places;
}

std::string draw_ranges(const Ranges& ranges, const Places& places, double shift,
                        const PlotFrame& frame) {
  std::string path;
  std::string marks;
  for (std::size_t index = 0; index < ranges.spans.size(); ++index) {
    const auto& span = ranges.spans[index];
    if (!span) continue;
    const double x = places.of_setting[index] + shift;
    path += fmt::format("{}{} {}", path.empty() ? "M" : "L", svg_number(x),
                        svg_number(frame.y(span->median)));
    if (span->max > span->min) {
      marks += svg_line(fmt::format("whisker c{}", ranges.style), x, frame.y(span->min), x,
                        frame.y(span->max));
    }
    marks += marker_of(ranges.style, x, frame.y(span->median));
  }
  return fmt::format("<path class=\"line thin c{}\" d=\"{}\"/>\n", ranges.style, path) + marks;
}

}  // namespace

Drawing line_plot(const Axes& axes, const std::vector<Line>& lines,
                  const std::vector<Reference>& references) {
  const PlotFrame frame{axes};
  std::string svg = frame.draw() + frame.draw_x_ticks();
  for (const auto& line : lines) svg += draw_band(line, frame);
  for (const auto& line : lines) svg += draw_line(line, frame);
  for (const auto& line : lines) svg += draw_markers(line, axes.x_max, frame);
  return frame.finish(svg + frame.draw_references(references));
}

Drawing range_plot(const Axes& axes, const std::vector<std::string>& settings,
                   const std::vector<Ranges>& all) {
  const PlotFrame frame{axes};
  const auto places = places_of(settings.size(), all.size());
  std::string svg = frame.draw();
  for (std::size_t index = 0; index < settings.size(); ++index) {
    svg += svg_text({.x = places.of_setting[index],
                     .y = PlotFrame::height - PlotFrame::bottom + 26,
                     .anchor = "middle"},
                    settings[index]);
    if (index == 0) continue;
    const double edge = (places.of_setting[index - 1] + places.of_setting[index]) / 2;
    svg += svg_line("axis", edge, PlotFrame::height - PlotFrame::bottom, edge,
                    PlotFrame::height - PlotFrame::bottom + 30);
  }
  for (std::size_t index = 0; index < all.size(); ++index) {
    const double from_middle =
        static_cast<double>(index) - (static_cast<double>(all.size()) - 1) / 2;
    svg += draw_ranges(all[index], places, from_middle * places.between_locks, frame);
  }
  return frame.finish(svg);
}

Drawing bar_plot(const Axes& axes, const std::vector<Bar>& bars, std::size_t style,
                 const std::vector<Reference>& references) {
  const PlotFrame frame{axes};
  std::string svg = frame.draw();
  const double slot =
      PlotFrame::inner_width / static_cast<double>(std::max<std::size_t>(bars.size(), 1));
  const double gap = slot > 4 ? std::min(3.0, slot * 0.2) : 0;
  const double column_width = std::min(slot - gap, 28.0);
  for (std::size_t index = 0; index < bars.size(); ++index) {
    const double x =
        PlotFrame::left + slot * static_cast<double>(index) + (slot - column_width) / 2;
    const double y = frame.y(bars[index].value);
    constexpr auto rect =
        "<rect class=\"bar c{}\" x=\"{}\" y=\"{}\" width=\"{}\" "
        "height=\"{}\"><title>{}</title></rect>\n";
    svg += fmt::format(rect, style, svg_number(x), svg_number(y), svg_number(column_width),
                       svg_number(frame.y(0) - y), escape_html(bars[index].hint));
  }
  return frame.finish(svg + frame.draw_references(references));
}

}  // namespace fixkeep::client_sim
