// How tests that are text show tables, lists and JSON of reports.
#pragma once

#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "client-sim/report/table.hpp"
#include "tests/support/scripts.hpp"

namespace fixkeep::support {

template <class Texts>
[[nodiscard]] std::string lines(const Texts& texts, const char* between = "\n") {
  std::string all;
  for (const auto& each : texts) all += (all.empty() ? "" : between) + std::string{each};
  return all;
}

// Lines of no more than a hundred characters, where a text has commas or blanks.
[[nodiscard]] inline std::string wrapped(std::string text) {
  std::size_t begin = 0;
  while (text.size() - begin > 98) {
    const auto at = text.find_last_of(", ", begin + 97);
    if (at == std::string::npos || at <= begin) break;
    if (text[at] == ',') text.insert(at + 1, " ");
    begin = at + (text[at] == ',' ? 2 : 1);
    text[begin - 1] = '\n';
  }
  return text;
}

// Without a row its headings; or of that row what stands under some of them.
[[nodiscard]] inline std::string of_table(const client_sim::Table& table, Words words) {
  if (words.done()) return wrapped(lines(table.front(), "; "));
  const auto& row = table.at(std::stoul(words.next()));
  std::istringstream wanted{words.rest()};
  std::string text;
  for (std::string heading; std::getline(wanted, heading, ';');) {
    for (std::size_t column = 0; column < row.size(); ++column) {
      if (table.front()[column] == heading) text += (text.empty() ? "" : "; ") + row[column];
    }
  }
  return text;
}

// What stands at each of the pointers, "absent" where nothing does.
[[nodiscard]] inline std::string at_pointers(const nlohmann::json& document,
                                             const std::string& pointers) {
  Words words{pointers};
  std::string text;
  while (!words.done()) {
    const nlohmann::json::json_pointer at{words.next()};
    text += (text.empty() ? "" : " ") + (document.contains(at) ? document.at(at).dump() : "absent");
  }
  return wrapped(text);
}

}  // namespace fixkeep::support
