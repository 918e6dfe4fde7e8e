// Bars that lie, each of several parts that follow each other, with a mark where each might end.
//
// The parts have colours of their own (classes p0, p1, … of plot.css), which no lock has.
// Thread rule: free functions without state. All text is escaped here.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "client-sim/report/svg_text.hpp"

namespace fixkeep::client_sim {

struct StackRow {
  std::string label;
  std::vector<double> parts;
  std::string text;            // at its end
  std::optional<double> mark;  // in the unit of the parts
};

struct StackPlot {
  std::string description;
  std::string x_label;
  double x_max = 1;  // so that several drawings have one scale
};

[[nodiscard]] Drawing stack_plot(const StackPlot& plot, const std::vector<StackRow>& rows);

}  // namespace fixkeep::client_sim
