// The exhaustive search of Maekawa's lock, under partitions too: it must never have two holders.
#include <gtest/gtest.h>

#include <iostream>

#include "tests/model/explore.hpp"
#include "tests/model/lock_model.hpp"

namespace fixkeep::model {
namespace {

Budget maekawa(Budget budget) {
  budget.variant = Variant::maekawa;
  budget.timers_outlast_holds = true;
  budget.exclusive = true;
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

TEST(Maekawa, holds_in_every_state_that_is_reached) {
  const std::vector<Case> cases{
      {"2 masters: acquire, abandon",
       {.workers = 1, .acquisitions = 2, .abandons = 2, .start_connected = true},
       300'000},
      {"2 masters: start, crash, restart",
       {.workers = 1, .acquisitions = 2, .crashes = 1, .timeouts = 2},
       300'000},
      {"2 masters: link losses, grace, lost order",
       {.workers = 1,
        .acquisitions = 1,
        .link_losses = 2,
        .orders_given_up = 1,
        .timeouts = 2,
        .grace = true},
       150'000},
      {"3 masters: two acquisitions each",
       {.masters = 3, .acquisitions = 2, .start_connected = true},
       150'000},
      {"3 masters: abandons",
       {.masters = 3, .acquisitions = 1, .abandons = 2, .start_connected = true},
       150'000},
      {"3 masters: start, crash, restart",
       {.masters = 3, .acquisitions = 1, .crashes = 1, .timeouts = 1},
       150'000},
      {"3 masters: crash, restart",
       {.masters = 3, .acquisitions = 1, .crashes = 1, .timeouts = 2, .start_connected = true},
       150'000},
      {"3 masters: link losses",
       {.masters = 3, .acquisitions = 1, .link_losses = 2, .timeouts = 1, .start_connected = true},
       150'000},
      {"3 masters, majority: link losses",
       {.masters = 3,
        .acquisitions = 1,
        .link_losses = 2,
        .timeouts = 1,
        .start_connected = true,
        .quorum = lock::Quorum::majority},
       150'000},
      {"3 masters, majority: crash, link loss, restart",
       {.masters = 3,
        .acquisitions = 1,
        .crashes = 1,
        .link_losses = 1,
        .timeouts = 2,
        .start_connected = true,
        .quorum = lock::Quorum::majority},
       150'000},
      {"4 masters", {.masters = 4, .acquisitions = 1, .start_connected = true}, 200'000},
  };
  for (const auto& [name, budget, most_states] : cases) {
    const auto result = explore(LockModel{maekawa(budget)}, most_states);
    std::cout << name << ": " << result.states << " states, " << result.deepest << " steps deep, "
              << (result.complete ? "complete" : "cut") << '\n';
    EXPECT_FALSE(result.violation) << name << ": " << story(result);
  }
}

void expect_found(Budget budget, Variant variant) {
  budget = maekawa(budget);
  EXPECT_FALSE(explore(LockModel{budget}, 100'000).violation) << "the production machine";
  budget.variant = variant;
  const auto result = explore(LockModel{budget}, 1'000'000);
  std::cout << result.states << " states; " << story(result);
  EXPECT_EQ(result.violation.value_or("nothing"), "two holders");
}

TEST(Maekawa, two_holders_if_a_voter_has_one_vote_too_many) {
  expect_found({.masters = 3, .acquisitions = 1, .start_connected = true},
               Variant::maekawa_two_votes);
}

TEST(Maekawa, two_holders_if_a_vote_is_taken_back_when_the_link_breaks) {
  expect_found({.masters = 3,
                .acquisitions = 1,
                .link_losses = 1,
                .start_connected = true,
                .quorum = lock::Quorum::majority},
               Variant::maekawa_takes_vote_back);
}

TEST(Maekawa, two_holders_if_a_voter_votes_before_it_knows_what_it_has_forgotten) {
  expect_found({.masters = 3,
                .acquisitions = 1,
                .crashes = 1,
                .start_connected = true,
                .quorum = lock::Quorum::majority},
               Variant::maekawa_votes_after_restart);
}

}  // namespace
}  // namespace fixkeep::model
