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

// With the style sheet and the heading, up to where the sections begin; and what follows them.
[[nodiscard]] std::string begin_page(const std::string& title);
[[nodiscard]] std::string end_page();

// `name` is of an element, `css` of classes, or empty.
[[nodiscard]] std::string tag(const std::string& name, const std::string& css,
                              const std::string& text);
[[nodiscard]] std::string table_html(const Table& table);

// How this was made: facts, machine, command.
[[nodiscard]] std::string origin_section(
    const std::vector<std::pair<std::string, std::string>>& facts, const ReportHeader& header);

// Of the strategies' colours, which there are a few of.
[[nodiscard]] std::size_t colour_of(std::size_t strategy);

}  // namespace fixkeep::client_sim
