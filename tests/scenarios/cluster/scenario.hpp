// Files of scenarios: what they say, run line by line, and their expectations filled in.
//
// A file has scenarios, each `scenario NAME` and its lines. A line that is indented belongs to the
// command above it and says what is seen of it; a command with any such line is checked, and `-`
// alone stands for nothing at all. The README beside the scenarios has the words.
// Thread rule: values, one owner. Errors: Failure, the first of a run.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace fixkeep::scenarios {

struct Line {
  int number = 0;
  std::string text;
  bool checked = false;
  std::vector<std::string> expected;  // `-` is none
  int last = 0;                       // the number of the last line that belongs to it
};

struct Scenario {
  std::string name;
  int number = 0;  // of its first line
  std::vector<Line> lines;
};

struct Failure {
  int number = 0;
  std::string line;
  std::string why;
  std::vector<std::string> before;  // the last lines, and what was seen of them
};

// What was seen of each checked command, by its line.
using Seen = std::map<int, std::vector<std::string>>;

[[nodiscard]] std::vector<Scenario> scenarios_of(const std::string& text);
// Runs the scenario, in all its variants. With `seen` nothing is compared, and what was seen goes
// there; a command that looks different in two variants is a failure all the same.
[[nodiscard]] std::optional<Failure> run(const Scenario& scenario, Seen* seen = nullptr);
// The text with all expectations of the scenario as they were seen.
[[nodiscard]] std::string rewritten(const std::string& text, const Scenario& scenario,
                                    const Seen& seen);

}  // namespace fixkeep::scenarios
