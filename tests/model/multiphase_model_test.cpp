// The exhaustive search of the production lock, and the proof that the search can find something.
#include <gtest/gtest.h>

#include <chrono>
#include <iostream>

#include "tests/model/explore.hpp"
#include "tests/model/lock_model.hpp"

namespace fixkeep::model {
namespace {

// Instrumented code is ten times slower; it is there to watch the machines, not to count states.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool instrumented = true;
#else
constexpr bool instrumented = false;
#endif
constexpr std::size_t states_to_explore = instrumented ? 30'000 : 1'000'000;

std::string story(const Exploration& result) {
  std::string text = result.violation.value_or("nothing") + " after:\n";
  for (const auto& line : result.trace) text += "  " + line + "\n";
  return text;
}

struct Case {
  const char* name;
  Budget budget;
  std::size_t most_states;
  bool complete;  // the budget is small enough to see everything
};

const std::vector<Case>& cases() {
  static const std::vector<Case> all{
      {"2 masters: acquire, abandon",
       {.workers = 1, .acquisitions = 3, .abandons = 3, .start_connected = true},
       400'000,
       true},
      {"2 masters: start, acquire, abandon",
       {.workers = 1, .acquisitions = 2, .abandons = 2},
       400'000,
       true},
      {"2 masters: start, crash, restart",
       {.workers = 2, .acquisitions = 2, .crashes = 1},
       1'000'000,
       true},
      {"2 masters: start alone, crash, link loss, grace, lost order",
       {.workers = 1,
        .acquisitions = 1,
        .crashes = 1,
        .link_losses = 1,
        .orders_given_up = 1,
        .grace = true},
       1'000'000,
       true},
      {"2 masters, 2 workers: link loss, grace, lost order",
       {.workers = 2,
        .acquisitions = 2,
        .link_losses = 1,
        .orders_given_up = 1,
        .grace = true,
        .start_connected = true},
       400'000,
       false},
      {"2 masters: two link losses",
       {.workers = 1, .acquisitions = 2, .link_losses = 2, .start_connected = true},
       400'000,
       false},
      {"3 masters: start apart", {.masters = 3, .acquisitions = 1}, 400'000, true},
      {"3 masters: two abandons",
       {.masters = 3, .acquisitions = 1, .abandons = 2, .start_connected = true},
       400'000,
       true},
      {"3 masters: two acquisitions each, abandon",
       {.masters = 3, .acquisitions = 2, .abandons = 1, .start_connected = true},
       1'000'000,
       true},
      {"3 masters: crash, restart",
       {.masters = 3, .acquisitions = 1, .crashes = 1, .start_connected = true},
       1'000'000,
       true},
      {"3 masters, 1 worker: link loss",
       {.masters = 3, .workers = 1, .acquisitions = 1, .link_losses = 1, .start_connected = true},
       400'000,
       false},
  };
  return all;
}

TEST(Multiphase, holds_in_a_million_states) {
  std::size_t total = 0;
  for (const auto& [name, budget, most_states, complete] : cases()) {
    const auto start = std::chrono::steady_clock::now();
    const auto most = instrumented ? states_to_explore / cases().size() : most_states;
    const auto result = explore(LockModel{budget}, most);
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    std::cout << name << ": " << result.states << " states, " << result.deepest << " steps deep, "
              << (result.complete ? "complete" : "cut") << ", " << seconds.count() << " s\n";
    EXPECT_FALSE(result.violation) << name << ": " << story(result);
    if (!instrumented && complete) { EXPECT_TRUE(result.complete) << name; }
    total += result.states;
  }
  std::cout << "states explored: " << total << '\n';
  RecordProperty("states", std::to_string(total));
  EXPECT_GE(total, states_to_explore);
}

// --- what the search finds when a rule is missing

Exploration expect_found(const Budget& budget, const std::string& what, std::size_t longest_trace) {
  auto result = explore(LockModel{budget}, 1'000'000);
  std::cout << result.states << " states; " << story(result);
  EXPECT_EQ(result.violation.value_or("nothing"), what);
  EXPECT_LE(result.trace.size(), longest_trace);
  return result;
}

void expect_nothing_found(Budget budget) {
  budget.variant = Variant::production;
  budget.ordered_links = true;
  budget.basis_checked = true;
  const auto result = explore(LockModel{budget}, instrumented ? 5'000 : 100'000);
  EXPECT_FALSE(result.violation) << story(result);
}

TEST(Checker, finds_two_holders_without_rounds) {
  const Budget budget{
      .variant = Variant::no_rounds, .acquisitions = 2, .abandons = 2, .start_connected = true};
  expect_found(budget, "two holders", 12);
  expect_nothing_found(budget);
}

TEST(Checker, finds_two_holders_without_gated_reset) {
  const Budget budget{.variant = Variant::no_gated_reset,
                      .masters = 3,
                      .acquisitions = 1,
                      .abandons = 1,
                      .start_connected = true};
  expect_found(budget, "two holders", 17);
  expect_nothing_found(budget);
}

TEST(Checker, finds_a_deadlock_without_ordered_links) {
  const Budget budget{
      .acquisitions = 1, .abandons = 1, .start_connected = true, .ordered_links = false};
  expect_found(budget, "deadlock", 6);
  expect_nothing_found(budget);
}

TEST(Checker, finds_two_holders_without_ordered_links) {
  const Budget budget{.masters = 3,
                      .acquisitions = 2,
                      .abandons = 1,
                      .start_connected = true,
                      .ordered_links = false,
                      .progress_checked = false};
  expect_found(budget, "two holders", 17);
  expect_nothing_found(budget);
}

TEST(Checker, finds_two_holders_without_hello_and_grace) {
  const Budget budget{.variant = Variant::no_join};
  expect_found(budget, "two holders", 2);
  expect_nothing_found(budget);
}

// Not one of the four, but of LOCKS.md, "The fence": once after a change is not enough.
TEST(Checker, finds_two_holders_without_a_fence_if_a_split_mesh_fences_once) {
  const Budget budget{.variant = Variant::no_split_fence,
                      .acquisitions = 2,
                      .link_losses = 1,
                      .start_connected = true};
  expect_found(budget, "two holders without a fence", 9);
  expect_nothing_found(budget);
}

// Why an order names the fence that it builds on (LOCKS.md, "The fence").
TEST(Checker, finds_two_rooms_if_workers_compare_tokens_alone) {
  const Budget budget{.workers = 1,
                      .acquisitions = 2,
                      .link_losses = 1,
                      .start_connected = true,
                      .basis_checked = false};
  expect_found(budget, "two rooms", 18);
  expect_nothing_found(budget);
}

}  // namespace
}  // namespace fixkeep::model
