#include "client-sim/report/svg_axes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace fixkeep::client_sim {

namespace {

constexpr double top_margin = 24;
constexpr double never_lane = 34;  // height of the lane above the numbers
constexpr double tick_rise = 4;    // of a number's base line below the middle of its tick

}  // namespace

PlotFrame::PlotFrame(const Axes& axes)
    : axes_(axes), top_(axes.never ? top_margin + never_lane : top_margin) {
  axes_.x_max = std::max(axes_.x_max, 1e-9);
  axes_.y_max = std::max(axes_.y_max, 1e-9);
}

double PlotFrame::x(double value) const {
  return left + inner_width * std::clamp(value / axes_.x_max, 0.0, 1.0);
}

double PlotFrame::y(double value) const {
  if (std::isinf(value)) return top_margin;
  return top_ + (height - top_ - bottom) * (1 - std::clamp(value / axes_.y_max, 0.0, 1.0));
}

std::string PlotFrame::draw() const {
  std::string svg;
  for (const double tick : nice_ticks(axes_.y_max, 5)) {
    svg += svg_line("grid", left, y(tick), width - right, y(tick));
    svg += svg_text({.x = left - 8, .y = y(tick) + tick_rise, .anchor = "end"}, svg_number(tick));
  }
  if (axes_.never) {
    svg += svg_line("grid", left, top_margin, width - right, top_margin);
    svg += svg_text({.x = left - 8, .y = top_margin + tick_rise, .anchor = "end", .css = "alarm"},
                    "never");
  }
  svg += svg_line("axis", left, height - bottom, width - right, height - bottom);
  svg +=
      svg_text({.x = left + inner_width / 2, .y = height - 8, .anchor = "middle", .css = "label"},
               axes_.x_label);
  svg += fmt::format(
      "<text transform=\"translate(18 {}) rotate(-90)\" text-anchor=\"middle\" class=\"label\">{}"
      "</text>\n",
      svg_number(top_ + (height - top_ - bottom) / 2), escape_html(axes_.y_label));
  return svg;
}

std::string PlotFrame::draw_x_ticks() const {
  std::string svg;
  for (const double tick : nice_ticks(axes_.x_max, 6)) {
    svg += svg_line("axis", x(tick), height - bottom, x(tick), height - bottom + 5);
    svg +=
        svg_text({.x = x(tick), .y = height - bottom + 23, .anchor = "middle"}, svg_number(tick));
  }
  return svg;
}

std::string PlotFrame::draw_references(const std::vector<Reference>& references) const {
  std::string svg;
  for (const auto& reference : references) {
    const auto at = y(reference.value);
    svg += svg_line("reference", left, at, width - right, at);
    svg += svg_text({.x = width - right - 4, .y = at - 5, .anchor = "end", .css = "note"},
                    reference.label);
  }
  return svg;
}

Drawing PlotFrame::finish(const std::string& content) const {
  return make_drawing(width, height, axes_.description, content);
}

std::vector<double> nice_ticks(double max, int about) {
  std::vector<double> ticks;
  if (!(max > 0) || about < 1) return {0.0};
  const double rough = max / about;
  const double power = std::pow(10.0, std::floor(std::log10(rough)));
  double step = power * 10;
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (power * factor >= rough * 0.999) {
      step = power * factor;
      break;
    }
  }
  const auto count = static_cast<int>(std::floor(max / step + 1e-9));
  for (int index = 0; index <= count; ++index) ticks.push_back(step * index);
  return ticks;
}

}  // namespace fixkeep::client_sim
