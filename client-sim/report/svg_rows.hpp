// Bars that lie: a row for each lock, with its name at the left and the values at their ends. There
// is room for long names and for many locks.
//
// What never ended has the longest bar of all, up to the edge; what was not measured has none, and
// says so.
// Thread rule: free functions without state. All text is escaped here.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "client-sim/report/svg_axes.hpp"

namespace fixkeep::client_sim {

struct RowBar {
  std::optional<double> value;  // infinite: never; nothing: not measured
  std::string text;             // at its end
  double low = 0;               // of a whisker; no higher than low: there is none
  double high = 0;
};

struct Row {
  std::string label;
  std::size_t style = 0;
  std::vector<RowBar> bars;  // told apart by their fill: solid, half, outlined
};

struct RowsPlot {
  std::string description;
  std::string x_label;       // what is measured, and its unit
  bool logarithmic = false;  // where the slowest is a thousand times the fastest
  std::vector<Reference> references = {};
};

[[nodiscard]] Drawing rows_plot(const RowsPlot& plot, const std::vector<Row>& rows);

}  // namespace fixkeep::client_sim
