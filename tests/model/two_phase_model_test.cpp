// The exhaustive search of two-phase commit as a lock: what it promises, what it needs its rule
// for, and how it fails under a partition, which it does not promise to survive.
//
// Timers go off at any moment, so a vote may be given up although all answers are on their way. How
// often, is bounded: nothing else bounds how often two masters may refuse each other.
#include <gtest/gtest.h>

#include "tests/model/checks.hpp"

namespace fixkeep::model {
namespace {

constexpr auto two_phase = Variant::two_phase;

TEST(TwoPhase, holds_in_every_state_of_two_masters) {
  expect_all_hold(
      {
          {"2 masters: acquire, abandon, 3 timeouts",
           {.variant = two_phase,
            .acquisitions = 2,
            .abandons = 1,
            .timeouts = 3,
            .start_connected = true},
           400'000,
           true},
          {"2 masters: start, crash, restart, 2 timeouts",
           {.variant = two_phase, .acquisitions = 2, .crashes = 1, .timeouts = 2},
           400'000,
           true},
          {"2 masters: two crashes, 2 timeouts",
           {.variant = two_phase,
            .acquisitions = 2,
            .crashes = 2,
            .timeouts = 2,
            .start_connected = true},
           500'000,
           true},
          {"2 masters: start alone, crash, link loss, grace, lost order, timeout",
           {.variant = two_phase,
            .workers = 1,
            .acquisitions = 1,
            .crashes = 1,
            .link_losses = 1,
            .holds_cut = 1,
            .timeouts = 1,
            .grace = true},
           60'000,
           false},
          {"2 masters: two link losses, 2 timeouts",
           {.variant = two_phase,
            .workers = 1,
            .acquisitions = 2,
            .link_losses = 2,
            .timeouts = 2,
            .start_connected = true},
           60'000,
           false},
      },
      400'000);
}

TEST(TwoPhase, holds_in_every_state_of_three_masters) {
  expect_all_hold(
      {
          {"3 masters: start apart", {.variant = two_phase, .masters = 3}, 400'000, true},
          {"3 masters: abandon, 3 timeouts",
           {.variant = two_phase,
            .masters = 3,
            .abandons = 1,
            .timeouts = 3,
            .start_connected = true},
           80'000,
           false},
          {"3 masters: crash, restart, timeout",
           {.variant = two_phase,
            .masters = 3,
            .crashes = 1,
            .timeouts = 1,
            .start_connected = true},
           80'000,
           false},
          {"3 masters, 1 worker: link loss, timeout",
           {.variant = two_phase,
            .masters = 3,
            .workers = 1,
            .link_losses = 1,
            .timeouts = 1,
            .start_connected = true},
           60'000,
           false},
      },
      200'000);
}

TEST(TwoPhaseChecker, finds_two_holders_if_a_master_votes_twice) {
  Budget budget{.variant = Variant::two_phase_many_votes, .start_connected = true};
  expect_found(budget, "two holders", 20);
  budget.variant = two_phase;
  expect_nothing_found(budget);
}

// docs/locks-under-partition.md prints this one.
TEST(TwoPhaseUnderPartition, two_masters_hold_at_once) {
  expect_found({.variant = two_phase, .link_losses = 1, .start_connected = true, .exclusive = true},
               "two holders", 20);
}

}  // namespace
}  // namespace fixkeep::model
