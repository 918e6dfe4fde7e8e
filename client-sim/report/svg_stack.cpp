#include "client-sim/report/svg_stack.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "client-sim/report/svg_axes.hpp"

namespace fixkeep::client_sim {

namespace {

constexpr double stack_width = 640;
constexpr double stack_left = 172;  // for a name of 15 characters at the largest text
constexpr double stack_right = 84;  // for the text at the end of the longest bar
constexpr double stack_top = 8;
constexpr double stack_bottom = 58;
constexpr double stack_row_height = 34;
constexpr double stack_bar_height = 22;

}  // namespace

Drawing stack_plot(const StackPlot& plot, const std::vector<StackRow>& rows) {
  const double most = plot.x_max > 0 ? plot.x_max : 1;
  const auto x = [&](double value) {
    const double share = std::clamp(value / most, 0.0, 1.0);
    return stack_left + (stack_width - stack_left - stack_right) * share;
  };
  const double end = stack_top + stack_row_height * static_cast<double>(rows.size());
  std::string svg;
  for (const double tick : nice_ticks(most, 5)) {
    svg += svg_line("grid", x(tick), stack_top, x(tick), end);
    svg += svg_text({.x = x(tick), .y = end + 20, .anchor = "middle"}, svg_number(tick));
  }
  svg += svg_line("axis", stack_left, stack_top, stack_left, end);
  std::string words;
  double y = stack_top + (stack_row_height - stack_bar_height) / 2;
  for (const StackRow& row : rows) {
    const double base_line = y + stack_bar_height / 2 + 5;
    words += svg_text({.x = stack_left - 10, .y = base_line, .anchor = "end", .css = "label"},
                      shorten(row.label, 16));
    double reached = 0;
    for (std::size_t part = 0; part < row.parts.size(); ++part) {
      const double from = x(reached);
      reached += row.parts[part];
      if (x(reached) - from < 0.1) continue;
      svg +=
          fmt::format("<rect class=\"part p{}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/>\n",
                      part, svg_number(from), svg_number(y), svg_number(x(reached) - from),
                      svg_number(stack_bar_height));
    }
    double text_at = x(reached);
    if (row.mark) {
      svg += svg_line("need", x(*row.mark), y - 5, x(*row.mark), y + stack_bar_height + 5);
      text_at = std::max(text_at, x(*row.mark));
    }
    words += svg_text({.x = text_at + 7, .y = base_line, .css = "note"}, row.text);
    y += stack_row_height;
  }
  words += svg_text({.x = (stack_left + stack_width - stack_right) / 2,
                     .y = end + 46,
                     .anchor = "middle",
                     .css = "label"},
                    plot.x_label);
  return make_drawing(stack_width, end + stack_bottom, plot.description, svg + words);
}

}  // namespace fixkeep::client_sim
