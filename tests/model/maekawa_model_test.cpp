// The exhaustive search of Maekawa's lock, under partitions too: it must never have two holders.
#include <gtest/gtest.h>

#include "tests/model/checks.hpp"

namespace fixkeep::model {
namespace {

Budget maekawa(Budget budget) {
  budget.variant = Variant::maekawa;
  budget.timers_outlast_holds = true;
  budget.exclusive = true;
  return budget;
}

TEST(Maekawa, holds_in_every_state_of_two_masters) {
  expect_all_hold(
      {
          {"2 masters: acquire, abandon",
           maekawa({.workers = 1, .acquisitions = 2, .abandons = 2, .start_connected = true}),
           100'000, true},
          {"2 masters: start, crash, restart",
           maekawa({.workers = 1, .acquisitions = 2, .crashes = 1, .timeouts = 2}), 200'000, true},
          {"2 masters: link losses, grace, lost order",
           maekawa({.workers = 1, .link_losses = 2, .holds_cut = 1, .timeouts = 2, .grace = true}),
           100'000, false},
      },
      100'000);
}

TEST(Maekawa, holds_in_every_state_of_three_masters_and_of_four) {
  expect_all_hold(
      {
          {"3 masters: two acquisitions each",
           maekawa({.masters = 3, .acquisitions = 2, .start_connected = true}), 100'000, true},
          {"3 masters: abandons", maekawa({.masters = 3, .abandons = 2, .start_connected = true}),
           100'000, true},
          {"3 masters: start, crash, restart", maekawa({.masters = 3, .crashes = 1, .timeouts = 1}),
           80'000, false},
          {"3 masters: crash, restart",
           maekawa({.masters = 3, .crashes = 1, .timeouts = 2, .start_connected = true}), 80'000,
           false},
          {"3 masters: link losses",
           maekawa({.masters = 3, .link_losses = 2, .timeouts = 1, .start_connected = true}),
           80'000, false},
          {"3 masters, 1 worker: link loss",
           maekawa({.masters = 3,
                    .workers = 1,
                    .link_losses = 1,
                    .timeouts = 1,
                    .start_connected = true}),
           80'000, false},
          {"4 masters", maekawa({.masters = 4, .start_connected = true}), 80'000, false},
      },
      400'000);
}

TEST(MaekawaMajority, holds_in_every_state) {
  expect_all_hold(
      {
          {"3 masters: two acquisitions each",
           maekawa({.masters = 3,
                    .acquisitions = 2,
                    .start_connected = true,
                    .quorum = lock::Quorum::majority}),
           80'000, true},
          {"3 masters: link losses",
           maekawa({.masters = 3,
                    .link_losses = 2,
                    .timeouts = 1,
                    .start_connected = true,
                    .quorum = lock::Quorum::majority}),
           80'000, false},
          {"3 masters: crash, link loss, restart",
           maekawa({.masters = 3,
                    .crashes = 1,
                    .link_losses = 1,
                    .timeouts = 2,
                    .start_connected = true,
                    .quorum = lock::Quorum::majority}),
           80'000, false},
      },
      150'000);
}

void expect_two_holders_without(Variant without, const Budget& budget, std::size_t longest_trace) {
  auto explored = maekawa(budget);
  expect_nothing_found(explored);
  explored.variant = without;
  expect_found(explored, "two holders", longest_trace);
}

TEST(MaekawaChecker, finds_two_holders_if_a_voter_has_one_vote_too_many) {
  expect_two_holders_without(Variant::maekawa_two_votes, {.masters = 3, .start_connected = true},
                             10);
}

TEST(MaekawaChecker, finds_two_holders_if_a_vote_is_taken_back_when_the_link_breaks) {
  expect_two_holders_without(
      Variant::maekawa_takes_vote_back,
      {.masters = 3, .link_losses = 1, .start_connected = true, .quorum = lock::Quorum::majority},
      12);
}

TEST(MaekawaChecker, finds_two_holders_if_a_voter_votes_before_it_knows_what_it_has_forgotten) {
  expect_two_holders_without(
      Variant::maekawa_votes_after_restart,
      {.masters = 3, .crashes = 1, .start_connected = true, .quorum = lock::Quorum::majority}, 16);
}

}  // namespace
}  // namespace fixkeep::model
