#include "client-sim/report/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace fixkeep::client_sim {

namespace {

// Counts the characters of UTF-8 text: each byte that does not continue a character.
std::size_t width_of(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(
      text.begin(), text.end(), [](char c) { return (static_cast<unsigned>(c) & 0xc0U) != 0x80; }));
}

}  // namespace

std::string to_text(const Table& table) {
  std::vector<std::size_t> widths;
  for (const auto& row : table) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t column = 0; column < row.size(); ++column) {
      widths[column] = std::max(widths[column], width_of(row[column]));
    }
  }
  std::string text;
  for (std::size_t index = 0; index < table.size(); ++index) {
    const auto& row = table[index];
    for (std::size_t column = 0; column < row.size(); ++column) {
      const std::string padding(widths[column] - width_of(row[column]), ' ');
      if (column > 0) text += "  ";
      text += column == 0 ? row[column] + padding : padding + row[column];
    }
    text += '\n';
    if (index > 0) continue;
    for (std::size_t column = 0; column < row.size(); ++column) {
      if (column > 0) text += "  ";
      text += std::string(widths[column], '-');
    }
    text += '\n';
  }
  return text;
}

std::string format_ms(double value) {
  if (std::isinf(value)) return "never";
  return fmt::format("{:.{}f}", value, value < 10 ? 2 : value < 100 ? 1 : 0);
}

std::string format_whole(double value) {
  return std::isinf(value) ? "never" : fmt::format("{:.0f}", value);
}

std::string format_spread(const Spread& span, std::string (*format)(double)) {
  const auto least = format(span.min);
  const auto most = format(span.max);
  return least == most ? most : least + " / " + format(span.median) + " / " + most;
}

}  // namespace fixkeep::client_sim
