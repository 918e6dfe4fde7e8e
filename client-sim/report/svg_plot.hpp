// Plots as inline SVG, drawn with the colours of the page around them (CSS classes c0, c1, …).
//
// Thread rule: free functions without state. All text is escaped here.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/percentiles.hpp"

namespace fixkeep::client_sim {

[[nodiscard]] std::string escape_html(std::string_view text);

struct Axes {
  std::string description;  // for readers that do not see the picture
  std::string x_label;
  std::string y_label;
  double x_max = 1;
  double y_max = 1;
  double y_from = 0;  // above 0: logarithmic from here on
};

struct Line {
  std::size_t colour = 0;
  std::vector<CurvePoint> points;
  bool steps = false;  // the value holds until the next point
  bool faint = false;  // one of many
};

struct Reference {
  std::string label;
  double y = 0;
};

struct Bar {
  double value = 0;
  std::string hint;  // shown when pointed at
};

[[nodiscard]] std::string line_plot(const Axes& axes, const std::vector<Line>& lines,
                                    const std::vector<Reference>& references);

// Bars side by side over the whole width; x_max is not used.
[[nodiscard]] std::string bar_plot(const Axes& axes, const std::vector<Bar>& bars,
                                   std::size_t colour, const std::vector<Reference>& references);

// Bars side by side under one label; the colour is the bar's place in its group.
struct BarGroup {
  std::string label;
  std::vector<Bar> bars;
};

[[nodiscard]] std::string group_plot(const Axes& axes, const std::vector<BarGroup>& groups,
                                     const std::vector<Reference>& references);

// 0 and multiples of 1, 2 or 5 times a power of ten up to `max`, about `about` of them.
[[nodiscard]] std::vector<double> nice_ticks(double max, int about);

}  // namespace fixkeep::client_sim
