#include "tests/support/scripts.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <utility>

namespace fixkeep::support {
namespace {

constexpr std::string_view arrow = " => ";
constexpr std::size_t longest_line = 100;

struct Script {
  std::string file;
  std::vector<std::string> lines;
  std::function<std::unique_ptr<ScriptDriver>()> make;
};

bool rewrites() {
  return std::getenv("FIXKEEP_REWRITE") != nullptr;
}

// A command as it stands in a file, with its answer.
struct Step {
  std::size_t line = 0;  // in the file, from 1
  std::string command;
  std::string answer;
};

std::vector<std::string> to_lines(const Step& step) {
  if (step.answer.empty()) return {step.command};
  const auto answer = parts_of(step.answer, '\n');
  const auto width = step.command.size() + arrow.size() + step.answer.size();
  if (answer.size() == 1 && width <= longest_line && !step.answer.starts_with(' ')) {
    return {step.command + std::string{arrow} + step.answer};
  }
  std::vector<std::string> lines{step.command};
  for (const auto& line : answer) lines.push_back("  " + line);
  return lines;
}

// The step that begins at `lines[at]`; `at` is then behind it.
Step take_step(const std::vector<std::string>& lines, std::size_t& at) {
  Step step{.line = at + 1, .command = lines[at], .answer = {}};
  const auto split = step.command.find(arrow);
  if (split != std::string::npos) {
    step.answer = step.command.substr(split + arrow.size());
    step.command.resize(split);
  }
  for (++at; at < lines.size() && lines[at].starts_with("  "); ++at) {
    step.answer += (step.answer.empty() ? "" : "\n") + lines[at].substr(2);
  }
  return step;
}

bool is_heading(const std::string& line) {
  return line.starts_with("## ");
}
bool is_command(const std::string& line) {
  return !line.empty() && !line.starts_with('#');
}

class ScriptTest : public testing::Test {
 public:
  ScriptTest(std::shared_ptr<Script> script, std::string heading)
      : script_(std::move(script)), heading_(std::move(heading)) {}

  void TestBody() override {
    auto& lines = script_->lines;
    const auto begin = static_cast<std::size_t>(std::find(lines.begin(), lines.end(), heading_) -
                                                lines.begin() + 1);
    std::vector<std::string> said;
    std::size_t at = begin;
    for (const auto& [line, command, wanted, answer] :
         play_script(lines, at, *script_->make(), said)) {
      if (rewrites() && line > 0) continue;
      ADD_FAILURE_AT(script_->file.c_str(), static_cast<int>(line > 0 ? line : at))
          << command << "\nhas to be answered with:\n"
          << wanted << "\nand the answer is:\n"
          << answer;
    }
    if (rewrites()) replace(begin, at, said);
  }

 private:
  void replace(std::size_t begin, std::size_t end, const std::vector<std::string>& said) {
    auto& lines = script_->lines;
    const auto first = lines.begin() + static_cast<std::ptrdiff_t>(begin);
    lines.erase(first, lines.begin() + static_cast<std::ptrdiff_t>(end));
    lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(begin), said.begin(), said.end());
    std::ofstream file{script_->file};
    for (const auto& line : lines) file << line << '\n';
  }

  std::shared_ptr<Script> script_;
  std::string heading_;
};

class NoScript : public testing::Test {
 public:
  explicit NoScript(std::string file) : file_(std::move(file)) {}
  void TestBody() override { FAIL() << file_ << " has no tests, seen from this folder"; }

 private:
  std::string file_;
};

class Table : public ScriptDriver {
 public:
  explicit Table(std::function<std::string(std::string_view)> answer)
      : answer_(std::move(answer)) {}
  std::string run(std::string_view command) override { return answer_(command); }

 private:
  std::function<std::string(std::string_view)> answer_;
};

}  // namespace

std::vector<ScriptFailure> play_script(const std::vector<std::string>& lines, std::size_t& begin,
                                       ScriptDriver& driver, std::vector<std::string>& said) {
  std::vector<ScriptFailure> failures;
  while (begin < lines.size() && !is_heading(lines[begin])) {
    if (!is_command(lines[begin])) {
      said.push_back(lines[begin++]);
      continue;
    }
    Step step = take_step(lines, begin);
    auto answer = driver.run(step.command);
    if (answer != step.answer) {
      failures.push_back({step.line, step.command, step.answer, answer});
    }
    step.answer = std::move(answer);
    for (auto& line : to_lines(step)) said.push_back(std::move(line));
  }
  if (auto wrong = driver.end(); !wrong.empty()) failures.push_back({0, "the end", "", wrong});
  return failures;
}

bool register_scripts(const std::string& file,
                      const std::function<std::unique_ptr<ScriptDriver>()>& make) {
  const auto script = std::make_shared<Script>(Script{file, {}, make});
  std::ifstream in{file};
  for (std::string line; std::getline(in, line);) script->lines.push_back(line);
  bool found = false;
  for (const auto& line : script->lines) {
    if (!is_heading(line)) continue;
    const auto dot = line.find('.');
    if (dot == std::string::npos) continue;
    found = true;
    testing::RegisterTest(line.substr(3, dot - 3).c_str(), line.substr(dot + 1).c_str(), nullptr,
                          nullptr, file.c_str(), 1, [script, line]() -> testing::Test* {
                            return new ScriptTest{script, line};
                          });
  }
  if (!found) {
    testing::RegisterTest("Scripts", file.c_str(), nullptr, nullptr, file.c_str(), 1,
                          [file]() -> testing::Test* { return new NoScript{file}; });
  }
  return found;
}

bool register_table(const std::string& file,
                    const std::function<std::string(std::string_view)>& answer) {
  return register_scripts(file, [answer] { return std::make_unique<Table>(answer); });
}

std::string bytes_of(std::string_view text) {
  std::string bytes;
  while (!text.empty()) {
    const char first = text.front();
    const auto close = text.find('}');
    const auto star = close == std::string_view::npos ? close : text.substr(0, close).rfind('*');
    if (first == '\\' && text.substr(1, 1) == "x") {
      bytes += static_cast<char>(std::strtol(std::string{text.substr(2, 2)}.c_str(), nullptr, 16));
      text.remove_prefix(4);
    } else if (first == '\\') {
      constexpr std::string_view names = "rnts\\";
      bytes += "\r\n\t \\"[names.find(text.at(1))];
      text.remove_prefix(2);
    } else if (first == '{' && star != std::string_view::npos) {
      const auto part = bytes_of(text.substr(1, star - 1));
      for (auto left = std::stoul(std::string{text.substr(star + 1, close - star - 1)}); left > 0;
           --left) {
        bytes += part;
      }
      text.remove_prefix(close + 1);
    } else {
      bytes += first;
      text.remove_prefix(1);
    }
  }
  return bytes;
}

std::string shown(std::string_view bytes) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text;
  for (const char byte : bytes) {
    constexpr std::string_view special = "\r\n\t\\";
    const auto value = static_cast<unsigned char>(byte);
    if (const auto at = special.find(byte); at != std::string_view::npos) {
      text += {'\\', "rnt\\"[at]};
    } else if (value < 0x20 || value >= 0x7f) {
      text += {'\\', 'x', digits[value / 16], digits[value % 16]};
    } else {
      text += byte;
    }
  }
  return text;
}

Words::Words(std::string_view text) : text_(text) {}

std::string Words::next() {
  const auto begin = std::min(text_.find_first_not_of(' '), text_.size());
  text_.remove_prefix(begin);
  const auto end = std::min(text_.find(' '), text_.size());
  std::string word{text_.substr(0, end)};
  text_.remove_prefix(std::min(end + 1, text_.size()));
  return word;
}

std::optional<std::string> named(std::string_view command, std::string_view key) {
  Words words{command};
  while (!words.done()) {
    const auto word = words.next();
    if (word.starts_with(key) && word.substr(key.size(), 1) == "=") {
      return word.substr(key.size() + 1);
    }
  }
  return std::nullopt;
}

std::vector<std::string> parts_of(std::string_view text, char between) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const auto end = std::min(text.find(between), text.size());
    parts.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

}  // namespace fixkeep::support
