#include "lab/web/plan.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include "common/base/lock_strategies.hpp"
#include "lock/core/rule_names.hpp"

namespace fixkeep::lab_web {
namespace {

struct ActName {
  std::string_view name;
  std::size_t numbers;
};
// In the order of Act.
constexpr std::array<ActName, 11> act_names{{
    {"stop", 1},
    {"continue", 1},
    {"kill", 1},
    {"start", 1},
    {"ask", 1},
    {"leave", 1},
    {"cut", 2},
    {"heal", 2},
    {"slow", 3},
    {"hold", 2},
    {"deliver", 2},
}};

// Returns the text up to the separator. Removes the text and the separator from `rest`.
std::string_view take(std::string_view& rest, char separator) {
  const auto end = std::min(rest.find(separator), rest.size());
  const auto word = rest.substr(0, end);
  rest.remove_prefix(std::min(end + 1, rest.size()));
  return word;
}

template <class Number>
bool number(std::string_view text, Number least, Number most, Number& into) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return false;
  if (value < least || value > most) return false;
  into = value;
  return true;
}

std::string wrong(std::string_view what, std::string_view value) {
  return std::string{what} + " cannot be \"" + std::string{value.substr(0, 40)} + "\"";
}

std::string leave_rules_out(std::string_view names, Settings& settings) {
  while (!names.empty()) {
    std::string name{take(names, '.')};
    std::replace(name.begin(), name.end(), '-', ' ');
    if (name == "ordered links") {
      settings.ordered_links = false;
    } else if (!lock::leave_out(name, settings.rules)) {
      return wrong("without", name);
    }
  }
  return {};
}

std::string read_commands(std::string_view text, Plan& plan) {
  while (!text.empty()) {
    auto one = take(text, '~');
    const auto all = one;
    Command command;
    std::int64_t micros = 0;
    if (!number(take(one, '@'), std::uint64_t{0}, steps_most, command.step) ||
        !number(take(one, '.'), std::int64_t{0}, std::int64_t{1} << 50, micros)) {
      return wrong("a command", all);
    }
    command.at = TimePoint{Duration{micros}};
    if (auto mistake = read_act(one, command); !mistake.empty()) return mistake;
    if (plan.commands.size() == commands_most) return "there are too many commands";
    plan.commands.push_back(command);
  }
  return {};
}

std::string read_field(std::string_view name, std::string_view value, Plan& plan) {
  Settings& settings = plan.settings;
  bool good = true;
  if (name == "lock") {
    const auto* found = lock::find_strategy(value);
    good = found != nullptr && found->family != lock::Family::engine;
    settings.strategy = value;
  } else if (name == "masters") {
    good = number(value, masters_least, masters_most, settings.masters);
  } else if (name == "seed") {
    good = number(value, std::uint64_t{0}, seed_most, settings.seed);
  } else if (name == "steps") {
    good = number(value, std::uint64_t{0}, steps_most, plan.steps);
  } else if (name == "players") {
    good = value == "seed" || value == "hand";
    settings.players = value == "seed";
  } else if (name == "fence") {
    good = value == "on" || value == "off";
    settings.fence = value == "on";
  } else if (name == "without") {
    return leave_rules_out(value, settings);
  } else if (name == "do") {
    return read_commands(value, plan);
  } else if (name != "lesson") {  // only the page reads the lesson
    return wrong("a name", name);
  }
  return good ? std::string{} : wrong(name, value);
}

}  // namespace

std::string read_act(std::string_view text, Command& command) {
  const auto all = text;
  const auto name = take(text, '.');
  std::size_t act = 0;
  while (act < act_names.size() && act_names.at(act).name != name) ++act;
  if (act == act_names.size()) return wrong("a command", all);
  const std::size_t numbers = act_names.at(act).numbers;
  command.act = static_cast<Act>(act);
  const int a_least = numbers == 1 ? 1 : 0;
  if (!number(take(text, '.'), a_least, masters_most, command.a)) return wrong("a command", all);
  if (numbers > 1 && !number(take(text, '.'), 0, masters_most, command.b)) {
    return wrong("a command", all);
  }
  if (numbers > 2 && !number(take(text, '.'), 0, slower_ms_most, command.ms)) {
    return wrong("a command", all);
  }
  return text.empty() ? std::string{} : wrong("a command", all);
}

std::string show(const std::vector<Command>& commands) {
  std::string text;
  for (const Command& each : commands) {
    const ActName& found = act_names.at(static_cast<std::size_t>(each.act));
    text += (text.empty() ? "" : "~") + std::to_string(each.step) + "@" +
            std::to_string(each.at.time_since_epoch().count()) + "." + std::string{found.name};
    const std::array<int, 3> numbers{each.a, each.b, each.ms};
    for (std::size_t i = 0; i < found.numbers; ++i) text += "." + std::to_string(numbers.at(i));
  }
  return text;
}

std::string read_plan(std::string_view text, Plan& plan) {
  plan = {};
  while (!text.empty()) {
    auto value = take(text, '&');
    const auto name = take(value, '=');
    if (auto mistake = read_field(name, value, plan); !mistake.empty()) return mistake;
  }
  return {};
}

}  // namespace fixkeep::lab_web
