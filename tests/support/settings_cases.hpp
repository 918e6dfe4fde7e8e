// Settings and what is said of them, as data: a file of cases, each a test of its own.
//
//   case want_a_user_for_each_room     begins one; its name is that of the test
//   rooms.limit=10                     as behind --set; FIXKEEP_NAME=value as in the environment
//   file PATH, no file                 in the place of the example, which a case has otherwise
//   check                              as with --check
//   ! --set rooms.limit: …             a problem, word for word, in the order in which all are told
//   ? --set admin.port: …              a doubt
//   fine                               neither
//
// A line without text ends a try; a case has any number of them. Text behind "#" at the beginning
// of a line is for people. With FIXKEEP_REWRITE=1 in the environment a test writes what is said
// into its file instead of comparing it: look at the difference before you keep it.
//
// Thread rule: one owner. Errors: test failures; a file that cannot be read or holds no case stops
// the program.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <string>
#include <variant>
#include <vector>

#include "common/base/assert.hpp"
#include "common/config/command_line.hpp"
#include "common/config/problem.hpp"

namespace fixkeep::test {

// Problems first, then doubts, marked as in the file.
using Verdict = std::vector<std::string>;
using LoadSettings =
    std::function<Verdict(const config::CommandLine&, const std::vector<std::string>& variables)>;

// For a `load_settings` of a role.
template <class Loaded>
[[nodiscard]] Verdict verdict_of(const Loaded& loaded) {
  Verdict said;
  if (const auto* problems = std::get_if<config::Problems>(&loaded)) {
    for (const auto& problem : *problems) said.push_back("! " + to_string(problem));
  } else {
    for (const auto& doubt : std::get<0>(loaded).doubts) said.push_back("? " + to_string(doubt));
  }
  if (said.empty()) said.emplace_back("fine");
  return said;
}

class SettingsCases {
 public:
  explicit SettingsCases(std::string path) : path_(std::move(path)) {
    std::ifstream file{path_};
    for (std::string line; std::getline(file, line);) lines_.push_back(line);
    FIXKEEP_ASSERT(!names().empty(), path_);
  }

  [[nodiscard]] std::vector<std::string> names() const {
    std::vector<std::string> found;
    for (const auto& line : lines_) {
      if (line.starts_with(begin)) found.push_back(line.substr(begin.size()));
    }
    return found;
  }

  void check(const std::string& name, const std::string& example, const LoadSettings& load) {
    auto line = std::find(lines_.begin(), lines_.end(), std::string{begin} + name);
    ASSERT_NE(line, lines_.end()) << name;
    std::vector<std::string> rewritten{lines_.begin(), ++line};
    while (line != lines_.end() && !line->starts_with(begin)) {
      Try one{.line = {.file = example}};
      for (; line != lines_.end() && !line->empty() && !line->starts_with(begin); ++line) {
        one.take(*line);
        if (!Try::is_said(*line)) rewritten.push_back(*line);
      }
      if (one.any) {
        const auto said = load(one.line, one.variables);
        if (!rewrites()) { EXPECT_EQ(said, one.said) << name; }
        rewritten.insert(rewritten.end(), said.begin(), said.end());
      }
      for (; line != lines_.end() && line->empty(); ++line) rewritten.push_back(*line);
    }
    rewritten.insert(rewritten.end(), line, lines_.end());
    if (!rewrites() || rewritten == lines_) return;
    std::ofstream file{path_};
    for (const auto& each : rewritten) file << each << '\n';
    lines_ = std::move(rewritten);
  }

 private:
  struct Try {
    config::CommandLine line;
    std::vector<std::string> variables;
    Verdict said;
    bool any = false;

    static bool is_said(const std::string& text) {
      return text.starts_with("! ") || text.starts_with("? ") || text == "fine";
    }

    void take(const std::string& text) {
      if (text.starts_with('#')) return;
      any = true;
      if (is_said(text)) {
        said.push_back(text);
      } else if (text == "check") {
        line.check = true;
      } else if (text == "no file") {
        line.file.clear();
      } else if (text.starts_with("file ")) {
        line.file = text.substr(5);
      } else {
        (text.starts_with("FIXKEEP_") ? variables : line.settings).push_back(text);
      }
    }
  };

  static bool rewrites() { return std::getenv("FIXKEEP_REWRITE") != nullptr; }

  static constexpr std::string_view begin = "case ";

  std::string path_;
  std::vector<std::string> lines_;
};

}  // namespace fixkeep::test
