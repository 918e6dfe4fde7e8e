// Describes in a few words why a game ended, for masters and players: "exit code 1: cannot bind".
// Thread rule: free function. Bounds: the description of the end, and `most_last_line` bytes of the
// game's last output. Errors: none.
#pragma once

#include <string>
#include <string_view>

#include "common/base/printable.hpp"
#include "worker/runner/game_runner.hpp"

namespace fixkeep::worker {

inline constexpr std::size_t most_last_line = 100;

[[nodiscard]] inline std::string end_reason(const GameEnd& end) {
  constexpr std::string_view blank = " \t\r\n";
  std::string_view last = end.last_lines;
  const auto stop = last.find_last_not_of(blank);
  if (stop == std::string_view::npos) return end.how;
  last = last.substr(0, stop + 1);
  last.remove_prefix(last.find_last_of("\r\n") + 1);  // npos + 1 is 0, if the text is one line
  return end.how + ": " + printable(last.substr(0, most_last_line));
}

}  // namespace fixkeep::worker
