#include "client-sim/report/svg_text.hpp"

#include <fmt/format.h>

namespace fixkeep::client_sim {

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

Drawing make_drawing(double width, double height, std::string_view description,
                     std::string_view content) {
  constexpr auto element =
      "<svg viewBox=\"0 0 {} {}\" role=\"img\">\n"
      "<title>{}</title>\n{}</svg>\n";
  return {.svg = fmt::format(element, svg_number(width), svg_number(height),
                             escape_html(description), content),
          .width = width,
          .height = height};
}

std::string svg_number(double value) {
  auto result = fmt::format("{:.2f}", value);
  result.erase(result.find_last_not_of('0') + 1);
  if (result.ends_with('.')) result.pop_back();
  return result == "-0" ? "0" : result;
}

std::string svg_text(const TextPlace& place, std::string_view text) {
  return fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"{}\" class=\"{}\">{}</text>\n",
                     svg_number(place.x), svg_number(place.y), place.anchor, place.css,
                     escape_html(text));
}

std::string svg_line(std::string_view css, double x1, double y1, double x2, double y2) {
  return fmt::format("<line class=\"{}\" x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\"/>\n", css,
                     svg_number(x1), svg_number(y1), svg_number(x2), svg_number(y2));
}

std::string shorten(std::string_view text, std::size_t most) {
  std::size_t characters = 0;
  std::size_t cut = 0;  // where the ellipsis would stand
  for (std::size_t at = 0; at < text.size(); ++at) {
    // Bytes that start a character: the others continue one in UTF-8.
    if ((static_cast<unsigned char>(text[at]) & 0xc0U) == 0x80) continue;
    if (++characters == most) cut = at;
  }
  if (characters <= most) return std::string{text};
  return std::string{text.substr(0, cut)} + "…";
}

}  // namespace fixkeep::client_sim
