#include "client-sim/report/svg_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace fixkeep::client_sim {

namespace {

constexpr double rows_width = 640;
constexpr double rows_left = 172;   // for a name of 15 characters at the largest text
constexpr double rows_right = 124;  // for the text at the end of the longest bar
constexpr double rows_top = 30;     // for the labels of the references
constexpr double rows_bottom = 58;
constexpr double bar_height = 24;           // for the largest text
constexpr double reach_beside_never = 0.9;  // of the longest number, where one is "never"
constexpr double row_gap = 10;

class RowScale {
 public:
  RowScale(const RowsPlot& plot, const std::vector<Row>& rows) : logarithmic_(plot.logarithmic) {
    double least = 1e12;
    const auto take = [&](double value) {
      if (std::isinf(value)) reach_ = reach_beside_never;
      if (!std::isfinite(value)) return;
      most_ = std::max(most_, value);
      if (value > 0) least = std::min(least, value);
    };
    for (const auto& row : rows) {
      for (const auto& bar : row.bars) {
        take(bar.value.value_or(0));
        if (bar.high > bar.low) take(bar.high);
      }
    }
    for (const auto& reference : plot.references) take(reference.value);
    if (most_ <= 0) most_ = 1;
    from_ = std::pow(10.0, std::floor(std::log10(std::clamp(least, 1e-3, most_))));
    if (logarithmic_) most_ = std::max(most_, from_ * 10);
  }

  [[nodiscard]] double x(double value) const {
    if (std::isinf(value)) return rows_width - rows_right;
    double share = value / most_;
    if (logarithmic_) {
      share = value <= from_ ? 0 : std::log(value / from_) / std::log(most_ / from_);
    }
    return rows_left + (rows_width - rows_left - rows_right) * reach_ * std::clamp(share, 0.0, 1.0);
  }

  [[nodiscard]] std::vector<double> ticks() const {
    if (!logarithmic_) return nice_ticks(most_, 6);
    std::vector<double> powers;
    const auto decades = std::log10(most_ / from_);
    const double step = decades > 5 ? 100 : 10;
    for (double tick = from_; tick <= most_ * 1.001; tick *= step) powers.push_back(tick);
    return powers;
  }

 private:
  bool logarithmic_;
  double most_ = 0;
  double from_ = 0;
  double reach_ = 1;
};

// Bars, and the words that stand above everything else.
struct Layers {
  std::string bars;
  std::string words;
};

void draw_bar(const Row& row, std::size_t index, double y, const RowScale& scale, Layers& layers) {
  const auto& bar = row.bars[index];
  const double base_line = y + bar_height / 2 + 5;
  if (!bar.value) {
    layers.words += svg_text({.x = rows_left + 6, .y = base_line, .css = "tick"}, "not measured");
    return;
  }
  const bool never = std::isinf(*bar.value);
  double end = scale.x(*bar.value);
  constexpr auto rect =
      "<rect class=\"bar c{} s{}{}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/>\n";
  layers.bars += fmt::format(rect, row.style, index, never ? " never" : "", svg_number(rows_left),
                             svg_number(y + 1), svg_number(std::max(end - rows_left, 1.0)),
                             svg_number(bar_height - 2));
  if (bar.high > bar.low) {
    const double middle = y + bar_height / 2;
    layers.bars += svg_line("mark", scale.x(bar.low), middle, scale.x(bar.high), middle);
    for (const double edge : {bar.low, bar.high}) {
      layers.bars += svg_line("mark", scale.x(edge), middle - 4, scale.x(edge), middle + 4);
    }
    end = std::max(end, scale.x(bar.high));
  }
  layers.words +=
      svg_text({.x = end + 7, .y = base_line, .css = never ? "alarm" : "note"}, bar.text);
}

}  // namespace

Drawing rows_plot(const RowsPlot& plot, const std::vector<Row>& rows) {
  const RowScale scale{plot, rows};
  Layers layers;
  double y = rows_top;
  for (const auto& row : rows) {
    const double begin = y;
    for (std::size_t index = 0; index < row.bars.size(); ++index, y += bar_height) {
      draw_bar(row, index, y, scale, layers);
    }
    layers.words +=
        svg_text({.x = rows_left - 10, .y = (begin + y) / 2 + 5, .anchor = "end", .css = "label"},
                 shorten(row.label, 16));
    y += row_gap;
  }
  const double end = y;
  std::string svg;
  for (const double tick : scale.ticks()) {
    svg += svg_line("grid", scale.x(tick), rows_top, scale.x(tick), end);
    svg += svg_text({.x = scale.x(tick), .y = end + 20, .anchor = "middle"}, svg_number(tick));
  }
  svg += svg_line("axis", rows_left, rows_top, rows_left, end);
  svg += layers.bars;
  for (const auto& reference : plot.references) {
    const double x = scale.x(reference.value);
    svg += svg_line("reference", x, rows_top - 6, x, end);
    layers.words +=
        svg_text({.x = x, .y = rows_top - 11, .anchor = "middle", .css = "note"}, reference.label);
  }
  layers.words += svg_text({.x = (rows_left + rows_width - rows_right) / 2,
                            .y = end + 46,
                            .anchor = "middle",
                            .css = "label"},
                           plot.x_label);
  return make_drawing(rows_width, end + rows_bottom, plot.description, svg + layers.words);
}

}  // namespace fixkeep::client_sim
