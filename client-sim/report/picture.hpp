// A picture of a report: one or several drawings with a title, words and a legend. It becomes a
// section of a page, or a file of its own.
//
// Thread rule: pure functions. All text is escaped here.
#pragma once

#include <string>
#include <vector>

#include "client-sim/report/svg_text.hpp"

namespace fixkeep::client_sim {

struct Cell {
  std::string lock;  // stands above it in the lock's colour; empty: nothing does
  std::string note;  // after the name of the lock
  Drawing drawing;
};

struct Picture {
  std::string name;  // of its file, without an ending
  std::string title;
  std::string words;
  std::vector<std::string> locks = {};   // legend of lines
  std::vector<std::string> series = {};  // legend of bars that differ by their fill
  std::vector<std::string> parts = {};   // legend of the parts of bars (svg_stack.hpp)
  std::vector<Cell> cells = {};
  bool wide = false;    // scrolls on a narrow screen, where the text would be too small
  bool folded = false;  // shows its title only, until that is clicked on
};

[[nodiscard]] std::string picture_html(const Picture& picture);

// The whole of an SVG file with colours and background of its own, so that it looks the same on
// light and on dark pages. `origin` says which runs it shows.
[[nodiscard]] std::string picture_file(const Picture& picture, const std::string& origin);

}  // namespace fixkeep::client_sim
