#include "tests/model/checks.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <iostream>

namespace fixkeep::model {

std::string story(const Exploration& result) {
  std::string text = result.violation.value_or("nothing") + " after:\n";
  for (const auto& line : result.trace) text += "  " + line + "\n";
  return text;
}

void expect_all_hold(const std::vector<Case>& cases, std::size_t least_states) {
  std::size_t total = 0;
  for (const auto& [name, budget, most_states, complete] : cases) {
    const auto start = std::chrono::steady_clock::now();
    const auto result = explore(LockModel{budget}, most_states);
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    std::cout << name << ": " << result.states << " states, " << result.deepest << " steps deep, "
              << (result.complete ? "complete" : "cut") << ", " << seconds.count() << " s\n";
    EXPECT_FALSE(result.violation) << name << ": " << story(result);
    if (complete) { EXPECT_TRUE(result.complete) << name; }
    total += result.states;
  }
  std::cout << "states explored: " << total << '\n';
  testing::Test::RecordProperty("states", std::to_string(total));
  EXPECT_GE(total, least_states);
}

Exploration expect_found(const Budget& budget, const std::string& what, std::size_t longest_trace) {
  auto result = explore(LockModel{budget}, 1'000'000);
  std::cout << result.states << " states; " << story(result);
  EXPECT_EQ(result.violation.value_or("nothing"), what);
  EXPECT_LE(result.trace.size(), longest_trace);
  return result;
}

void expect_found_without(Variant variant, Variant production, Budget budget,
                          std::size_t longest_trace) {
  budget.variant = variant;
  expect_found(budget, "two holders", longest_trace);
  budget.variant = production;
  expect_nothing_found(budget);
}

void expect_nothing_found(const Budget& budget) {
  const auto result = explore(LockModel{budget}, 100'000);
  EXPECT_FALSE(result.violation) << story(result);
}

}  // namespace fixkeep::model
