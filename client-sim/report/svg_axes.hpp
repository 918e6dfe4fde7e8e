// The frame of a plot: axes, ticks, and where a value lies between them.
//
// What never happened is infinite (`never`), and lies in a lane of its own above all numbers, so
// that the worst value is also the highest.
// Thread rule: free functions without state. All text is escaped here.
#pragma once

#include <string>
#include <vector>

#include "client-sim/report/svg_text.hpp"

namespace fixkeep::client_sim {

struct Axes {
  std::string description;  // for readers that do not see the picture
  std::string x_label;
  std::string y_label;
  double x_max = 1;
  double y_max = 1;
  bool never = false;  // some value is infinite
};

struct Reference {
  std::string label;
  double value = 0;
};

// From values to places in the drawing.
class PlotFrame {
 public:
  explicit PlotFrame(const Axes& axes);

  static constexpr double width = 640;
  static constexpr double height = 340;
  static constexpr double left = 86;
  static constexpr double right = 16;
  static constexpr double bottom = 56;
  static constexpr double inner_width = width - left - right;

  [[nodiscard]] double x(double value) const;
  [[nodiscard]] double y(double value) const;

  // The lines and numbers of the y axis, the x axis itself, both labels.
  [[nodiscard]] std::string draw() const;
  [[nodiscard]] std::string draw_x_ticks() const;
  [[nodiscard]] std::string draw_references(const std::vector<Reference>& references) const;
  [[nodiscard]] Drawing finish(const std::string& content) const;

 private:
  Axes axes_;
  double top_;
};

// 0 and multiples of 1, 2 or 5 times a power of ten up to `max`, about `about` of them.
[[nodiscard]] std::vector<double> nice_ticks(double max, int about);

}  // namespace fixkeep::client_sim
