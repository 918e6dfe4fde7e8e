#include "tests/scenarios/cluster/scenario.hpp"

#include <algorithm>
#include <deque>
#include <sstream>

#include "tests/scenarios/cluster/commands.hpp"
#include "tests/scenarios/cluster/words.hpp"

namespace fixkeep::scenarios {
namespace {

using Values = std::map<std::string, std::string>;  // of variables

std::string trimmed(const std::string& line) {
  const auto first = line.find_first_not_of(' ');
  if (first == std::string::npos) return {};
  return line.substr(first, line.find_last_not_of(' ') - first + 1);
}

bool is_comment(const std::string& text) {
  return text.empty() || text == "#" || text.starts_with("# ");
}

std::string filled(std::string text, const Values& values) {
  for (const auto& [name, value] : values) {
    const std::string variable = "$" + name;
    for (auto at = text.find(variable); at != std::string::npos; at = text.find(variable)) {
      text.replace(at, variable.size(), value == "-" ? "" : value);
    }
  }
  return text;
}

// `for x in a b` at the top of a scenario: every combination.
std::vector<Values> variants_of(const Scenario& scenario) {
  std::vector<Values> all{{}};
  for (const Line& line : scenario.lines) {
    Words words{line.text};
    if (!words.take_if("for")) continue;
    const std::string name = words.take("the variable");
    require(words.take_if("in"), "expected `for x in a b`");
    std::vector<Values> more;
    for (const std::string& value : names_of(words.rest())) {
      for (Values each : all) {
        each[name] = value;
        more.push_back(std::move(each));
      }
    }
    all = std::move(more);
  }
  return all;
}

class Run {
 public:
  Run(const Scenario& scenario, int steps, Seen* seen)
      : scenario_(scenario), commands_(steps), seen_(seen) {}

  // Lines up to the end, or to the `end` of a repetition.
  void lines(std::size_t& at, Values values) {
    for (; at < scenario_.lines.size(); ++at) {
      const Line& line = scenario_.lines[at];
      at_ = &line;
      const std::string first = line.text.substr(0, line.text.find(' '));
      if (first == "for") continue;
      if (first == "end") return;
      if (first == "repeat") {
        repeat(at, line.text, values);
      } else {
        perform(line.text, values);
        compare(line, values);
      }
    }
  }
  void finish() {
    static const Line end{0, "(end)", false, {}, 0};
    if (at_ != nullptr) end_number_ = at_->number;
    at_ = &end;
    commands_.world().end();
  }
  // More was on its way than `some` has delivered.
  [[nodiscard]] bool may_deliver_more() const { return commands_.may_deliver_more(); }
  [[nodiscard]] Failure failure(const std::string& why) const {
    return {at_->number > 0 ? at_->number : end_number_,
            at_->text,
            why,
            {before_.begin(), before_.end()}};
  }

 private:
  static constexpr std::size_t most_told = 16;

  void note(std::string line) {
    before_.push_back(std::move(line));
    if (before_.size() > most_told) before_.pop_front();
  }

  // `repeat i 1..3: a; b`, or without the colon up to the line `end`.
  void repeat(std::size_t& at, const std::string& text, const Values& values) {
    const auto colon = text.find(": ");
    Words words{filled(text.substr(0, colon), values)};
    words.take("`repeat`");
    const std::string name = words.take("the variable");
    const std::size_t first = at + 1;
    for (const std::string& value : names_of(words.rest())) {
      Values inner = values;
      inner[name] = value;
      if (colon != std::string::npos) {
        perform(text.substr(colon + 2), inner);
        (void)commands_.world().take_seen();
        continue;
      }
      at = first;
      lines(at, inner);
      require(at < scenario_.lines.size(), "`repeat` has no `end`");
    }
  }

  void perform(const std::string& text, const Values& values) {
    note(text);
    for (const std::string& each : split(text, ';')) {
      Words words{filled(each, values)};
      commands_.perform(words);
      commands_.world().check();
    }
  }

  void compare(const Line& line, const Values& values) {
    const auto seen = commands_.world().take_seen();
    for (const std::string& each : seen) note("  " + each);
    if (!line.checked) return;
    std::vector<std::string> expected;
    for (const std::string& each : line.expected) expected.push_back(filled(each, values));
    if (seen_ != nullptr) {
      const bool has_variables = expected != line.expected;
      const auto [before, first] =
          seen_->emplace(line.number, has_variables ? line.expected : seen);
      if (!has_variables) require(before->second == seen, "it is not the same each time");
      return;
    }
    if (seen == expected) return;
    std::string why = "was seen:";
    for (const std::string& each : seen) why += "\n  " + each;
    if (seen.empty()) why += "\n  -";
    throw ScenarioError(why);
  }

  const Scenario& scenario_;
  Commands commands_;
  Seen* seen_;
  const Line* at_ = nullptr;
  int end_number_ = 0;
  std::deque<std::string> before_;
};

constexpr int most_deliveries = 1000;

}  // namespace

std::vector<Scenario> scenarios_of(const std::string& text) {
  std::vector<Scenario> all;
  std::istringstream in{text};
  int number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    const std::string words = trimmed(line.substr(0, line.find(" # ")));
    if (is_comment(words)) continue;
    if (line.starts_with("scenario ")) {
      all.push_back({trimmed(line.substr(9)), number, {}});
      continue;
    }
    require(!all.empty(), "a file begins with `scenario NAME`");
    auto& lines = all.back().lines;
    if (line[0] != ' ') {
      lines.push_back({number, words, false, {}, number});
      continue;
    }
    const auto belongs = [&] {
      if (lines.empty()) return false;
      const std::string first = split(lines.back().text, ' ').at(0);
      return first != "for" && first != "repeat" && first != "end";
    };
    require(belongs(), "line " + std::to_string(number) + " belongs to no command");
    lines.back().checked = true;
    lines.back().last = number;
    if (words != "-") lines.back().expected.push_back(words);
  }
  return all;
}

std::optional<Failure> run(const Scenario& scenario, Seen* seen) {
  const bool checks = std::any_of(scenario.lines.begin(), scenario.lines.end(),
                                  [](const Line& line) { return line.checked; });
  if (!checks) return Failure{scenario.number, scenario.name, "it expects nothing", {}};
  for (const Values& values : variants_of(scenario)) {
    bool more = true;
    for (int steps = 0; more && steps < most_deliveries; ++steps) {
      Run run{scenario, steps, seen};
      std::string with;
      for (const auto& [name, value] : values) with += " " + name + "=" + value;
      if (steps > 0) with += " after " + std::to_string(steps) + " deliveries";
      if (!with.empty()) with = " (with" + with + ")";
      try {
        std::size_t at = 0;
        run.lines(at, values);
        run.finish();
      } catch (const ScenarioError& error) { return run.failure(error.what() + with); }
      more = run.may_deliver_more();
    }
  }
  return {};
}

std::string rewritten(const std::string& text, const Scenario& scenario, const Seen& seen) {
  std::map<int, const Line*> checked;
  for (const Line& line : scenario.lines) {
    if (line.checked && seen.contains(line.number)) checked[line.number] = &line;
  }
  std::string result;
  std::istringstream in{text};
  int number = 0;
  int drop_to = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    if (number <= drop_to) continue;
    result += line + "\n";
    const auto found = checked.find(number);
    if (found == checked.end()) continue;
    drop_to = found->second->last;
    const auto& lines = seen.at(number);
    if (lines.empty()) result += "  -\n";
    for (const std::string& each : lines) result += "  " + each + "\n";
  }
  return result;
}

}  // namespace fixkeep::scenarios
