#include "tests/model/searches.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <iostream>
#include <sstream>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "common/base/lock_strategies.hpp"
#include "lock/core/rule_names.hpp"
#include "tests/model/explore.hpp"
#include "tests/model/lock_model.hpp"

namespace fixkeep::model {
namespace {

constexpr std::size_t states_of_whole = 100'000;
constexpr std::size_t states_of_broken = 1'000'000;

constexpr std::array<std::pair<std::string_view, int Budget::*>, 11> numbers{{
    {"masters", &Budget::masters},
    {"workers", &Budget::workers},
    {"acquisitions", &Budget::acquisitions},
    {"abandons", &Budget::abandons},
    {"crashes", &Budget::crashes},
    {"link losses", &Budget::link_losses},
    {"worker link losses", &Budget::worker_link_losses},
    {"worker restarts", &Budget::worker_restarts},
    {"refusals", &Budget::refusals},
    {"holds cut", &Budget::holds_cut},
    {"timeouts", &Budget::timeouts},
}};
constexpr std::array<std::pair<std::string_view, bool Budget::*>, 7> switches{{
    {"slow answers", &Budget::slow_answers},
    {"grace", &Budget::grace},
    {"connected", &Budget::connected},
    {"exclusive", &Budget::exclusive},
    {"timers outlast holds", &Budget::timers_outlast_holds},
    {"early release", &Budget::early_release},
    {"past deadlocks", &Budget::past_deadlocks},
}};
constexpr std::array<std::pair<std::string_view, bool Budget::*>, 8> outer_rules{{
    {"ordered links", &Budget::ordered_links},
    {"lists told", &Budget::lists_told},
    {"basis", &Budget::basis_checked},
    {"hints passed on", &Budget::hints_passed_on},
    {"hints kept", &Budget::hints_kept},
    {"orders named", &Budget::orders_named},
    {"orders fenced", &Budget::orders_fenced},
    {"orders awaited", &Budget::orders_awaited},
}};

template <class Table>
auto find(const Table& table, std::string_view name) {
  const auto* found = std::find_if(table.begin(), table.end(),
                                   [name](const auto& entry) { return entry.first == name; });
  if (found == table.end()) throw std::runtime_error("no such option: " + std::string{name});
  return found->second;
}

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(' ');
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(' ') - first + 1);
}

// What is before the separator, trimmed; takes it and the separator off the text.
std::string_view cut(std::string_view& text, std::string_view separator) {
  const auto at = std::min(text.find(separator), text.size());
  const auto before = trimmed(text.substr(0, at));
  text = at == text.size() ? std::string_view{} : trimmed(text.substr(at + separator.size()));
  return before;
}

std::size_t number(std::string_view text) {
  std::size_t value = 0;
  std::istringstream words{std::string{text}};
  char unit = ' ';
  if (!(words >> value)) throw std::runtime_error("a number is missing: " + words.str());
  if (words >> unit && unit != 'k') throw std::runtime_error("no number: " + words.str());
  return unit == 'k' ? value * 1000 : value;
}

std::array<std::uint32_t, 4> lists(std::string_view text) {
  std::array<std::uint32_t, 4> masks{};
  for (auto& mask : masks) {
    for (const char digit : cut(text, " ")) {
      if (digit != '-') mask |= 1U << static_cast<unsigned>(digit - '1');
    }
  }
  return masks;
}

// Says whether it leaves out a rule; then `whole` keeps it.
bool apply(std::string_view option, Budget& budget) {
  if (option == "majority") {
    budget.quorum = lock::Quorum::majority;
  } else if (option.starts_with("no ")) {
    const auto name = option.substr(3);
    if (!lock::leave_out(name, budget.rules)) budget.*find(outer_rules, name) = false;
    return true;
  } else if (option.starts_with("lists ")) {
    budget.lists = lists(option.substr(6));
  } else if (option.starts_with("become ")) {
    budget.lists_after = lists(option.substr(7));
  } else if (const auto space = option.rfind(' ');
             space != std::string_view::npos && option.back() >= '0' && option.back() <= '9') {
    budget.*find(numbers, option.substr(0, space)) =
        static_cast<int>(number(option.substr(space + 1)));
  } else {
    budget.*find(switches, option) = true;
  }
  return false;
}

void apply_all(std::string_view options, SearchCase& made) {
  while (!options.empty()) {
    const auto option = cut(options, ",");
    const bool without = apply(option, made.budget);
    made.without = made.without || without;
    if (!without) apply(option, made.whole);
  }
}

SearchCase read_case(std::string_view line, const Budget& common) {
  SearchCase made{.text = std::string{line}, .budget = common, .whole = common};
  auto what = cut(line, ":");
  made.complete = what.starts_with("all of ");
  if (made.complete || what.starts_with("first ")) {
    made.most = number(what.substr(what.rfind(' ') + 1));
  } else {
    made.wrong = cut(what, " within ");
    made.most = number(what);
  }
  apply_all(line, made);
  return made;
}

void read_line(std::string_view line, Budget& common, std::vector<SearchTest>& tests) {
  const bool indented = line.starts_with(' ');
  line = trimmed(line.substr(0, line.find('#')));
  if (line.empty()) return;
  if (indented) {
    if (tests.empty()) throw std::runtime_error("a search of no test");
    tests.back().cases.push_back(read_case(line, common));
  } else if (line.starts_with("lock ")) {
    line.remove_prefix(5);
    SearchCase made;
    const auto* strategy = lock::find_strategy(cut(line, ","));
    if (strategy == nullptr) throw std::runtime_error("no such lock");
    made.budget.lock = strategy->name;
    apply_all(line, made);
    common = made.budget;
  } else {
    SearchTest test;
    test.suite = cut(line, ".");
    test.name = cut(line, " at least ");
    if (test.name.empty()) throw std::runtime_error("Suite.test is missing");
    if (!line.empty()) test.least_states = number(line);
    tests.push_back(std::move(test));
  }
}

std::string story(const Exploration& result) {
  std::string text = result.violation.value_or("nothing") + " after:\n";
  for (const auto& line : result.trace) text += "  " + line + "\n";
  return text;
}

std::size_t share_of(std::size_t states, bool whole) {
  return whole ? states : states / 4;
}

// How many states it saw.
std::size_t expect_nothing(const SearchCase& wanted, bool whole) {
  const auto start = std::chrono::steady_clock::now();
  const auto result = explore(LockModel{wanted.budget}, share_of(wanted.most, whole));
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  std::cout << wanted.text << ": " << result.states << " states, " << result.deepest
            << " steps deep, " << (result.complete ? "complete" : "cut") << ", " << seconds.count()
            << " s\n";
  if (result.violation) {
    ADD_FAILURE() << wanted.text << ": " << story(result);
  } else if (whole) {
    EXPECT_EQ(result.complete, wanted.complete) << wanted.text;
  }
  return result.states;
}

void expect_found(const SearchCase& wanted, bool whole) {
  const auto result = explore(LockModel{wanted.budget}, states_of_broken);
  std::cout << result.states << " states; " << story(result);
  EXPECT_EQ(result.violation.value_or("nothing"), wanted.wrong) << wanted.text;
  EXPECT_LE(result.trace.size(), wanted.most) << wanted.text;
  if (!wanted.without) return;
  const auto all = explore(LockModel{wanted.whole}, share_of(states_of_whole, whole));
  EXPECT_FALSE(all.violation) << wanted.text << ", with all rules: " << story(all);
}

}  // namespace

std::vector<SearchTest> read_searches(std::istream& text) {
  std::vector<SearchTest> tests;
  Budget common;
  int number = 0;
  for (std::string line; std::getline(text, line);) {
    ++number;
    try {
      read_line(line, common, tests);
    } catch (const std::runtime_error& error) {
      throw std::runtime_error("line " + std::to_string(number) + ", `" + line +
                               "`: " + error.what());
    }
  }
  for (const auto& test : tests) {
    if (test.cases.empty()) throw std::runtime_error(test.name + " searches nothing");
  }
  return tests;
}

bool searches_are_whole() {
  const char* const search = std::getenv("FIXKEEP_SEARCH");
  return search != nullptr && std::string_view{search} == "whole";
}

void run(const SearchTest& test, bool whole) {
  std::size_t states = 0;
  for (const auto& each : test.cases) {
    if (each.wrong.empty()) {
      states += expect_nothing(each, whole);
    } else {
      expect_found(each, whole);
    }
  }
  if (test.least_states == 0) return;
  std::cout << "states explored: " << states << '\n';
  testing::Test::RecordProperty("states", std::to_string(states));
  EXPECT_GE(states, share_of(test.least_states, whole));
}

}  // namespace fixkeep::model
