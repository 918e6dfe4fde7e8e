// The exhaustive search of the coordinator lock, and the proof that the search can find something.
#include <gtest/gtest.h>

#include <iostream>

#include "tests/model/explore.hpp"
#include "tests/model/lock_model.hpp"

namespace fixkeep::model {
namespace {

Budget coordinator(Budget budget) {
  budget.variant = Variant::coordinator;
  budget.timers_outlast_holds = true;
  return budget;
}

std::string story(const Exploration& result) {
  std::string text = result.violation.value_or("nothing") + " after:\n";
  for (const auto& line : result.trace) text += "  " + line + "\n";
  return text;
}

struct Case {
  const char* name;
  Budget budget;
  std::size_t most_states;
};

TEST(Coordinator, holds_in_every_state_that_is_reached) {
  const std::vector<Case> cases{
      {"2 masters: acquire, abandon",
       {.workers = 1, .acquisitions = 2, .abandons = 2, .start_connected = true},
       200'000},
      {"2 masters: start, crash, restart",
       {.workers = 1, .acquisitions = 2, .crashes = 1, .timeouts = 2},
       300'000},
      {"2 masters: start alone, link loss, grace, lost order",
       {.workers = 1,
        .acquisitions = 1,
        .link_losses = 1,
        .orders_given_up = 1,
        .timeouts = 2,
        .grace = true},
       300'000},
      {"3 masters: start apart", {.masters = 3, .acquisitions = 1, .timeouts = 1}, 300'000},
      {"3 masters: two acquisitions each, abandon",
       {.masters = 3, .acquisitions = 2, .abandons = 1, .start_connected = true},
       400'000},
      {"3 masters: crash, restart",
       {.masters = 3, .acquisitions = 1, .crashes = 1, .timeouts = 2, .start_connected = true},
       500'000},
      {"3 masters, 1 worker: link loss",
       {.masters = 3,
        .workers = 1,
        .acquisitions = 1,
        .link_losses = 1,
        .timeouts = 2,
        .start_connected = true},
       300'000},
  };
  for (const auto& [name, budget, most_states] : cases) {
    const auto result = explore(LockModel{coordinator(budget)}, most_states);
    std::cout << name << ": " << result.states << " states, " << result.deepest << " steps deep, "
              << (result.complete ? "complete" : "cut") << '\n';
    EXPECT_FALSE(result.violation) << name << ": " << story(result);
  }
}

void expect_found(Budget budget, Variant variant, const std::string& what) {
  budget = coordinator(budget);
  EXPECT_FALSE(explore(LockModel{budget}, 100'000).violation) << "the production machine";
  budget.variant = variant;
  const auto result = explore(LockModel{budget}, 1'000'000);
  std::cout << result.states << " states; " << story(result);
  EXPECT_EQ(result.violation.value_or("nothing"), what);
}

TEST(Coordinator, two_holders_if_a_successor_does_not_wait_for_the_leases) {
  expect_found({.masters = 3, .acquisitions = 1, .crashes = 1, .start_connected = true},
               Variant::coordinator_no_lease_wait, "two holders");
}

TEST(Coordinator, two_holders_if_a_grant_of_anybody_counts) {
  expect_found({.masters = 3, .acquisitions = 1, .crashes = 1, .timeouts = 1},
               Variant::coordinator_anyones_grant, "two holders");
}

TEST(Coordinator, a_missing_fence_if_a_stale_coordinator_does_not_fence) {
  expect_found({.acquisitions = 2, .link_losses = 1, .timeouts = 1, .start_connected = true},
               Variant::coordinator_unfenced, "a missing fence");
}

// What the fault model says, shown: two coordinators on two sides of a broken link.
TEST(Coordinator, two_holders_under_a_partition_without_the_fence) {
  auto budget = coordinator({.acquisitions = 1,
                             .link_losses = 1,
                             .timeouts = 1,
                             .start_connected = true,
                             .exclusive = true});
  budget.timers_outlast_holds = false;  // what was granted before the loss has not been heard of
  const auto result = explore(LockModel{budget}, 1'000'000);
  std::cout << story(result);
  EXPECT_EQ(result.violation.value_or("nothing"), "two holders");
}

}  // namespace
}  // namespace fixkeep::model
