// All our reports are made of these parts: one HTML page that needs nothing else, for light and
// dark, wide and narrow screens.
//
// Thread rule: pure functions. All text is escaped here.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "client-sim/report/table.hpp"

namespace fixkeep::client_sim {

struct ReportHeader {
  std::string command_line;  // how to make it again
  std::string machine;       // "2 processors, Linux …"
  std::string when;
};

// Names and values, for the section on how the report was made.
using Facts = std::vector<std::pair<std::string, std::string>>;

// `body` is HTML. Without facts the page does not say how it was made.
[[nodiscard]] std::string page_html(const std::string& title, const std::string& body,
                                    const Facts& facts, const ReportHeader& header);

[[nodiscard]] std::string table_html(const Table& table);

// Which line is whose; each lock has a style of its own (lock_style.hpp). Empty: of nothing.
[[nodiscard]] std::string legend_of_lines(const std::vector<std::string>& locks);

// Which bar of a lock is what: the first is solid, the second half, the third outlined.
[[nodiscard]] std::string legend_of_bars(const std::vector<std::string>& series);

// Which part of a bar is what.
[[nodiscard]] std::string legend_of_parts(const std::vector<std::string>& parts);

// The symbols of the legends, 30 by 12.
[[nodiscard]] std::string line_symbol(const std::string& lock);
[[nodiscard]] std::string series_symbol(std::size_t index);
[[nodiscard]] std::string part_symbol(std::size_t index);

}  // namespace fixkeep::client_sim
