// An object of an engine has every life that it can have, under everything that can happen to it.
#include <gtest/gtest.h>

#include <iostream>

#include "tests/model/object_model.hpp"

namespace fixkeep::model {
namespace {

// Returns the number of its states, all of which were seen.
std::size_t explore_all(const ObjectBudget& budget) {
  constexpr std::size_t most = 6'000'000;
  const auto result = explore(ObjectModel{budget}, most);
  std::cout << result.states << " states, " << result.deepest << " steps deep\n";
  std::string story = result.violation.value_or("nothing") + " after:\n";
  for (const auto& line : result.trace) story += "  " + line + "\n";
  EXPECT_FALSE(result.violation) << story;
  EXPECT_TRUE(result.complete || result.violation);
  return result.states;
}

TEST(ObjectLifeSearch, an_object_that_has_to_be_started_lives_as_it_has_to) {
  EXPECT_GT(explore_all({.faults = 3}), 1'000U);
}

TEST(ObjectLifeSearch, an_object_that_starts_by_itself_lives_as_it_has_to) {
  EXPECT_GT(explore_all({.starts_by_itself = true, .faults = 2}), 1'000U);
}

TEST(ObjectLifeSearch, an_object_that_others_remove_lives_as_it_has_to) {
  EXPECT_GT(explore_all({.faults = 1, .strangers = 2}), 1'000U);
  EXPECT_GT(explore_all({.starts_by_itself = true, .faults = 1, .strangers = 2}), 1'000U);
}

TEST(ObjectLifeSearch, an_object_whose_worker_is_killed_lives_as_it_has_to) {
  EXPECT_GT(explore_all({.faults = 1, .restarts = 1}), 1'000U);
  EXPECT_GT(explore_all({.starts_by_itself = true, .faults = 1, .restarts = 1}), 1'000U);
}

TEST(ObjectLifeSearch, an_object_of_an_earlier_run_lives_as_it_has_to) {
  EXPECT_GT(explore_all({.adopted = true, .faults = 2, .strangers = 1}), 1'000U);
  EXPECT_GT(explore_all({.starts_by_itself = true, .adopted = true, .faults = 1}), 1'000U);
}

TEST(ObjectLifeSearch, an_object_of_a_hook_lives_as_it_has_to) {
  EXPECT_GT(explore_all({.by_hook = true, .faults = 3, .strangers = 1}), 100U);
  EXPECT_GT(explore_all({.by_hook = true, .faults = 2, .restarts = 1}), 100U);
  EXPECT_GT(explore_all({.by_hook = true, .adopted = true, .faults = 2, .strangers = 1}), 100U);
}

TEST(ObjectLifeSearch, an_object_of_a_fleet_lives_as_it_has_to) {
  EXPECT_GT(explore_all({.of_fleet = true, .restarts = 2}), 50U);
  EXPECT_GT(explore_all({.of_fleet = true, .adopted = true, .restarts = 1}), 20U);
}

}  // namespace
}  // namespace fixkeep::model
