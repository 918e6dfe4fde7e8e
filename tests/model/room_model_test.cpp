// A room has every life that it can have, under everything that can happen to it.
#include <gtest/gtest.h>

#include <iostream>

#include "tests/model/room_model.hpp"

namespace fixkeep::model {
namespace {

std::string story(const Exploration& result) {
  std::string text = result.violation.value_or("nothing") + " after:\n";
  for (const auto& line : result.trace) text += "  " + line + "\n";
  return text;
}

// Returns the number of its states, all of which were seen.
std::size_t explore_all(const RoomBudget& budget) {
  constexpr std::size_t most = 3'000'000;
  const auto result = explore(RoomModel{budget}, most);
  std::cout << result.states << " states, " << result.deepest << " steps deep\n";
  EXPECT_FALSE(result.violation) << story(result);
  EXPECT_TRUE(result.complete || result.violation);
  return result.states;
}

TEST(RoomLifeSearch, a_room_that_is_ordered_lives_as_it_has_to) {
  EXPECT_GT(explore_all({.starved = 1, .drains = 1}), 100'000U);
}

TEST(RoomLifeSearch, a_room_that_waits_for_its_turn_lives_as_it_has_to) {
  EXPECT_GT(explore_all({.queued = true, .starved = 1}), 100'000U);
}

TEST(RoomLifeSearch, a_room_that_has_less_time_to_boot_than_nobody_may_want_it_lives_as_it_has_to) {
  EXPECT_GT(explore_all({.queued = true, .boot_ticks = 1}), 20'000U);
}

TEST(RoomLifeSearch, a_room_that_is_looked_at_before_it_closes_as_empty_lives_as_it_has_to) {
  EXPECT_GT(explore_all({.untold = true, .restarts = 1}), 20'000U);
}

TEST(RoomLifeSearch, a_warm_room_lives_as_it_has_to) {
  EXPECT_GT(explore_all({.queued = true, .warm = true}), 20'000U);
}

TEST(RoomLifeSearch, a_room_that_its_game_closes_to_newcomers_lives_as_it_has_to) {
  EXPECT_GT(explore_all({.queued = true, .untold = true, .decisions = 2}), 20'000U);
  EXPECT_GT(explore_all({.restarts = 1, .decisions = 2}), 20'000U);
}

TEST(RoomLifeSearch, a_room_whose_worker_is_killed_lives_as_it_has_to) {
  EXPECT_GT(explore_all({.queued = true, .restarts = 1, .drains = 1}), 80'000U);
}

}  // namespace
}  // namespace fixkeep::model
