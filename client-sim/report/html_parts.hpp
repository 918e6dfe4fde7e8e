// What all our reports are made of: one HTML page that needs nothing else, for light and dark, wide
// and narrow screens.
//
// Thread rule: pure functions. All text is escaped here.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "client-sim/report/results.hpp"

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

// Which colour is whose. Colours are used again where there are more names than colours.
[[nodiscard]] std::string legend_of_lines(const std::vector<std::string>& names);
[[nodiscard]] std::string legend_of_bars(const std::vector<std::string>& names);

// Of the strategies' colours, which there are a few of.
[[nodiscard]] std::size_t colour_of(std::size_t strategy);

}  // namespace fixkeep::client_sim
