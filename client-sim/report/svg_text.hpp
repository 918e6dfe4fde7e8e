// All our drawings are made of this: a whole <svg> element with its size, and text in it.
//
// A drawing has no colours of its own: its classes are given theirs by plot.css, in the page around
// it or in the file that it becomes (picture_file.hpp).
// Thread rule: free functions without state. All text is escaped here.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace fixkeep::client_sim {

[[nodiscard]] std::string escape_html(std::string_view text);

struct Drawing {
  std::string svg;  // from "<svg" to "</svg>", with a viewBox of this size
  double width = 0;
  double height = 0;
};

// `description` is for readers that do not see the picture.
[[nodiscard]] Drawing make_drawing(double width, double height, std::string_view description,
                                   std::string_view content);

// At most two decimals and no trailing zeros: a page with many runs stays small.
[[nodiscard]] std::string svg_number(double value);

struct TextPlace {
  double x = 0;
  double y = 0;
  std::string_view anchor = "start";  // start, middle, end
  std::string_view css = "tick";      // tick, label, note
};
[[nodiscard]] std::string svg_text(const TextPlace& place, std::string_view text);

[[nodiscard]] std::string svg_line(std::string_view css, double x1, double y1, double x2,
                                   double y2);

// The first `most` characters, the last of them an ellipsis if there were more.
[[nodiscard]] std::string shorten(std::string_view text, std::size_t most);

}  // namespace fixkeep::client_sim
