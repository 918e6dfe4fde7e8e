#include "client-sim/report/sequence_diagram.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace fixkeep::client_sim {

namespace {

constexpr double diagram_width = 900;
constexpr double diagram_left = 96;  // for the times
constexpr double diagram_top = 62;
constexpr double step_height = 30;
constexpr double head_width = 64;
constexpr double head_height = 26;
constexpr double letter_width = 6.9;  // about that of a character
constexpr double bold_width = 7.8;    // the same

using Columns = std::map<std::string, double>;  // x of each node's line

Columns columns_of(const std::vector<std::string>& nodes) {
  Columns columns;
  const double slot =
      (diagram_width - diagram_left) / static_cast<double>(std::max<std::size_t>(nodes.size(), 1));
  for (std::size_t index = 0; index < nodes.size(); ++index) {
    columns[nodes[index]] = diagram_left + slot * (static_cast<double>(index) + 0.5);
  }
  return columns;
}

std::string draw_arrow(double from, double to, double y, bool bad) {
  const double back = to > from ? -9 : 9;
  const auto* css = bad ? " bad" : "";
  return svg_line(std::string{"arrow"} + css, from, y, to + back / 2, y) +
         fmt::format("<path class=\"tip{}\" d=\"M{} {}l{} -4.5v9Z\"/>\n", css, svg_number(to),
                     svg_number(y), svg_number(back));
}

// Words on paper, so that no line is seen through them.
std::string draw_paper(const TextPlace& place, double half, std::string_view text) {
  const double begin = place.anchor == "start" ? place.x
                       : place.anchor == "end" ? place.x - 2 * half
                                               : place.x - half;
  return fmt::format("<rect class=\"paper\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"14\"/>\n",
                     svg_number(begin), svg_number(place.y - 11), svg_number(2 * half)) +
         svg_text(place, text);
}

// Between two lines above the arrow, or beside the one that it concerns; never outside the drawing.
std::string draw_words(const StoryStep& step, double from, double to, double y) {
  const double half =
      (step.bad ? bold_width : letter_width) * static_cast<double>(step.text.size()) / 2;
  const auto* css = step.bad ? "alarm" : "note";
  if (from == to) {
    const bool fits = from + 10 + 2 * half < diagram_width;
    return draw_paper({.x = fits ? from + 10 : from - 10,
                       .y = y + 4,
                       .anchor = fits ? "start" : "end",
                       .css = css},
                      half, step.text);
  }
  const double least = diagram_left + half;
  const double most = std::max(diagram_width - half - 4, least);
  return draw_paper(
      {.x = std::clamp((from + to) / 2, least, most), .y = y - 8, .anchor = "middle", .css = css},
      half, step.text);
}

}  // namespace

Drawing sequence_diagram(const CollisionStory& story) {
  const auto columns = columns_of(story.nodes);
  const double end = diagram_top + step_height * static_cast<double>(story.steps.size()) + 8;
  std::string svg =
      svg_text({.x = diagram_left - 20, .y = 28, .anchor = "end", .css = "label"}, "ms");
  for (const auto& [node, x] : columns) {
    svg += svg_line("lifeline", x, 10 + head_height, x, end);
    svg += fmt::format(
        "<rect class=\"head\" x=\"{}\" y=\"10\" width=\"{}\" height=\"{}\" rx=\"5\"/>\n",
        svg_number(x - head_width / 2), head_width, head_height);
    svg += svg_text({.x = x, .y = 28, .anchor = "middle", .css = "strong"}, node);
  }
  double y = diagram_top;
  for (const auto& step : story.steps) {
    y += step_height;
    const double base = y - step_height / 2;
    svg += svg_text({.x = diagram_left - 20,
                     .y = base + 4,
                     .anchor = "end",
                     .css = step.bad ? "alarm" : "tick"},
                    fmt::format("{:.2f}", step.at_ms));
    const auto from = columns.find(step.from);
    const auto to = columns.find(step.to);
    if (from == columns.end()) continue;
    const double start = from->second;
    const double target = to == columns.end() ? start : to->second;
    if (start == target) {
      svg += fmt::format("<circle class=\"tip\" cx=\"{}\" cy=\"{}\" r=\"3.5\"/>\n",
                         svg_number(start), svg_number(base));
    } else {
      svg += draw_arrow(start, target, base, step.bad);
    }
    svg += draw_words(step, start, target, base);
  }
  return make_drawing(diagram_width, end + 10, "How the first collision came about", svg);
}

}  // namespace fixkeep::client_sim
