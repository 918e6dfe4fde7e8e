#include "client-sim/report/svg_plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace fixkeep::client_sim {

namespace {

constexpr double width = 640;
constexpr double height = 340;
constexpr double left = 86;
constexpr double right = 16;
constexpr double top = 24;
constexpr double bottom = 56;
constexpr double inner_width = width - left - right;
constexpr double inner_height = height - top - bottom;

// At most two decimals and no trailing zeros: a page with many runs stays small.
std::string number(double value) {
  auto result = fmt::format("{:.2f}", value);
  result.erase(result.find_last_not_of('0') + 1);
  if (result.ends_with('.')) result.pop_back();
  return result == "-0" ? "0" : result;
}

struct Scale {
  double x_max;
  double y_max;
  double y_from = 0;

  [[nodiscard]] std::string x(double value) const {
    return number(left + inner_width * std::clamp(value / x_max, 0.0, 1.0));
  }
  [[nodiscard]] std::string y(double value) const {
    return number(top + inner_height * (1 - std::clamp(share(value), 0.0, 1.0)));
  }
  [[nodiscard]] double share(double value) const {
    if (y_from <= 0) return value / y_max;
    return value <= y_from ? 0 : std::log(value / y_from) / std::log(y_max / y_from);
  }
  [[nodiscard]] std::vector<double> y_ticks() const {
    if (y_from <= 0) return nice_ticks(y_max, 5);
    std::vector<double> powers;
    for (double tick = y_from; tick <= y_max * 1.001; tick *= 10) powers.push_back(tick);
    return powers;
  }
};

Scale scale_of(const Axes& axes) {
  return {.x_max = std::max(axes.x_max, 1e-9),
          .y_max = std::max(axes.y_max, axes.y_from > 0 ? axes.y_from * 10 : 1e-9),
          .y_from = axes.y_from};
}

std::string open_svg(const Axes& axes) {
  return "<svg viewBox=\"0 0 " + number(width) + " " + number(height) +
         "\" role=\"img\">\n<title>" + escape_html(axes.description) + "</title>\n";
}

std::string text_at(const std::string& x, const std::string& y, std::string_view anchor,
                    std::string_view css, const std::string& text) {
  return "<text x=\"" + x + "\" y=\"" + y + "\" text-anchor=\"" + std::string{anchor} +
         "\" class=\"" + std::string{css} + "\">" + escape_html(text) + "</text>\n";
}

std::string draw_axes(const Axes& axes, const Scale& scale, bool x_ticks) {
  std::string svg;
  for (const double tick : scale.y_ticks()) {
    const auto y = scale.y(tick);
    svg += "<line class=\"grid\" x1=\"" + number(left) + "\" x2=\"" + number(width - right) +
           "\" y1=\"" + y + "\" y2=\"" + y + "\"/>\n";
    svg += text_at(number(left - 8), number(std::stod(y) + 4), "end", "tick", number(tick));
  }
  if (x_ticks) {
    for (const double tick : nice_ticks(axes.x_max, 7)) {
      const auto x = scale.x(tick);
      svg += "<line class=\"axis\" x1=\"" + x + "\" x2=\"" + x + "\" y1=\"" +
             number(height - bottom) + "\" y2=\"" + number(height - bottom + 5) + "\"/>\n";
      svg += text_at(x, number(height - bottom + 23), "middle", "tick", number(tick));
    }
  }
  svg += "<line class=\"axis\" x1=\"" + number(left) + "\" x2=\"" + number(width - right) +
         "\" y1=\"" + number(height - bottom) + "\" y2=\"" + number(height - bottom) + "\"/>\n";
  svg +=
      text_at(number(left + inner_width / 2), number(height - 8), "middle", "label", axes.x_label);
  svg += "<text transform=\"translate(18 " + number(top + inner_height / 2) +
         ") rotate(-90)\" text-anchor=\"middle\" class=\"label\">" + escape_html(axes.y_label) +
         "</text>\n";
  return svg;
}

std::string draw_references(const std::vector<Reference>& references, const Scale& scale) {
  std::string svg;
  for (const auto& reference : references) {
    const auto y = scale.y(reference.y);
    svg += "<line class=\"reference\" x1=\"" + number(left) + "\" x2=\"" + number(width - right) +
           "\" y1=\"" + y + "\" y2=\"" + y + "\"/>\n";
    svg += text_at(number(width - right - 4), number(std::stod(y) - 5), "end", "note",
                   reference.label);
  }
  return svg;
}

std::string draw_line(const Line& line, const Scale& scale) {
  if (line.points.empty()) return {};
  std::string path;
  for (std::size_t index = 0; index < line.points.size(); ++index) {
    const auto& point = line.points[index];
    if (index == 0) {
      path += "M" + scale.x(point.x) + " " + scale.y(point.y);
    } else if (line.steps) {
      path += "H" + scale.x(point.x) + "V" + scale.y(point.y);
    } else {
      path += "L" + scale.x(point.x) + " " + scale.y(point.y);
    }
  }
  return fmt::format("<path class=\"line c{}{}\" d=\"{}\"/>\n", line.colour,
                     line.faint ? " faint" : "", path);
}

std::string draw_bar(const Bar& bar, const Scale& scale, double x, double bar_width,
                     std::size_t colour) {
  const double y = std::stod(scale.y(bar.value));
  constexpr auto rect =
      "<rect class=\"bar c{}\" x=\"{}\" y=\"{}\" width=\"{}\" "
      "height=\"{}\"><title>{}</title></rect>\n";
  return fmt::format(rect, colour, number(x), number(y), number(bar_width),
                     number(height - bottom - y), escape_html(bar.hint));
}

}  // namespace

std::string escape_html(std::string_view text) {
  std::string escaped;
  escaped.reserve(text.size());
  for (const char c : text) {
    switch (c) {
      case '&': escaped += "&amp;"; break;
      case '<': escaped += "&lt;"; break;
      case '>': escaped += "&gt;"; break;
      case '"': escaped += "&quot;"; break;
      case '\'': escaped += "&#39;"; break;
      default: escaped += c;
    }
  }
  return escaped;
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

std::string line_plot(const Axes& axes, const std::vector<Line>& lines,
                      const std::vector<Reference>& references) {
  const auto scale = scale_of(axes);
  std::string svg = open_svg(axes) + draw_axes(axes, scale, true);
  svg += draw_references(references, scale);
  for (const auto& line : lines) svg += draw_line(line, scale);
  return svg + "</svg>\n";
}

std::string bar_plot(const Axes& axes, const std::vector<Bar>& bars, std::size_t colour,
                     const std::vector<Reference>& references) {
  const auto scale = scale_of(axes);
  std::string svg = open_svg(axes) + draw_axes(axes, scale, false);
  const double slot = inner_width / static_cast<double>(std::max<std::size_t>(bars.size(), 1));
  const double gap = slot > 4 ? std::min(3.0, slot * 0.2) : 0;
  for (std::size_t index = 0; index < bars.size(); ++index) {
    const double x = left + slot * static_cast<double>(index);
    const double bar_width = std::min(slot - gap, 28.0);
    svg += draw_bar(bars[index], scale, x + (slot - bar_width) / 2, bar_width, colour);
  }
  return svg + draw_references(references, scale) + "</svg>\n";
}

std::string group_plot(const Axes& axes, const std::vector<BarGroup>& groups,
                       const std::vector<Reference>& references) {
  const auto scale = scale_of(axes);
  std::string svg = open_svg(axes) + draw_axes(axes, scale, false);
  const double slot = inner_width / static_cast<double>(std::max<std::size_t>(groups.size(), 1));
  for (std::size_t index = 0; index < groups.size(); ++index) {
    const auto& group = groups[index];
    const double x = left + slot * static_cast<double>(index);
    const auto count = static_cast<double>(std::max<std::size_t>(group.bars.size(), 1));
    const double bar_width = std::min(slot * 0.8 / count, 28.0);
    const double begin = x + (slot - bar_width * count) / 2;
    for (std::size_t bar = 0; bar < group.bars.size(); ++bar) {
      svg += draw_bar(group.bars[bar], scale, begin + bar_width * static_cast<double>(bar),
                      bar_width, bar);
    }
    // Slanted: the names are longer than the bars are wide.
    svg += "<text transform=\"translate(" + number(x + slot / 2 + 4) + " " +
           number(height - bottom + 16) + ") rotate(-25)\" text-anchor=\"end\" class=\"tick\">" +
           escape_html(group.label) + "</text>\n";
  }
  return svg + draw_references(references, scale) + "</svg>\n";
}

}  // namespace fixkeep::client_sim
