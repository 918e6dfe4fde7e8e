#include "ctl/cluster/table.hpp"

#include <algorithm>
#include <ostream>
#include <utility>

#include "common/base/printable.hpp"

namespace fixkeep::ctl {
namespace {

// Counts code points, because most characters in names are one column wide.
std::size_t width(const std::string& text) {
  const auto begins = [](char byte) {
    constexpr unsigned mask = 0xC0;
    constexpr unsigned goes_on = 0x80;
    return (static_cast<unsigned char>(byte) & mask) != goes_on;
  };
  return static_cast<std::size_t>(std::ranges::count_if(text, begins));
}

}  // namespace

Table::Table(std::vector<std::string> heads) {
  for (std::string& head : heads) {
    to_the_right_.push_back(head.starts_with('>'));
    if (to_the_right_.back()) head.erase(0, 1);
  }
  rows_.push_back(std::move(heads));
}

void Table::add(std::vector<std::string> cells) {
  for (std::string& cell : cells) cell = cell.empty() ? "-" : printable(cell);
  rows_.push_back(std::move(cells));
}

void Table::print(std::ostream& out) const {
  std::vector<std::size_t> widths(to_the_right_.size());
  for (const auto& row : rows_) {
    for (std::size_t i = 0; i < widths.size(); ++i) widths[i] = std::max(widths[i], width(row[i]));
  }
  for (const auto& row : rows_) {
    std::string line;
    for (std::size_t i = 0; i < widths.size(); ++i) {
      const std::string gap(widths[i] - width(row[i]), ' ');
      if (i > 0) line += "  ";
      line += to_the_right_[i] ? gap + row[i] : row[i] + gap;
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out << line << '\n';
  }
}

}  // namespace fixkeep::ctl
