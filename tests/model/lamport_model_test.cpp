// The exhaustive search of Lamport's lock: what it promises, what it needs each rule for, and how
// it fails under a partition, which it does not promise to survive.
#include <gtest/gtest.h>

#include "tests/model/checks.hpp"

namespace fixkeep::model {
namespace {

constexpr auto lamport = Variant::lamport;

TEST(Lamport, holds_in_every_state) {
  expect_all_hold(
      {
          {"2 masters: acquire, abandon",
           {.variant = lamport,
            .workers = 1,
            .acquisitions = 2,
            .abandons = 2,
            .start_connected = true},
           400'000,
           true},
          {"2 masters: start, crash, restart",
           {.variant = lamport, .workers = 1, .acquisitions = 2, .crashes = 1},
           400'000,
           true},
          {"2 masters: two crashes",
           {.variant = lamport, .acquisitions = 2, .crashes = 2, .start_connected = true},
           400'000,
           true},
          {"2 masters: start alone, crash, link loss, grace, lost order",
           {.variant = lamport,
            .workers = 1,
            .acquisitions = 1,
            .crashes = 1,
            .link_losses = 1,
            .holds_cut = 1,
            .grace = true},
           60'000,
           false},
          {"2 masters: two link losses",
           {.variant = lamport,
            .workers = 1,
            .acquisitions = 2,
            .link_losses = 2,
            .start_connected = true},
           60'000,
           false},
          {"3 masters: start apart", {.variant = lamport, .masters = 3}, 400'000, true},
          {"3 masters: abandon",
           {.variant = lamport, .masters = 3, .abandons = 1, .start_connected = true},
           400'000,
           true},
          {"3 masters: two acquisitions each",
           {.variant = lamport, .masters = 3, .acquisitions = 2, .start_connected = true},
           80'000,
           false},
          {"3 masters: crash, restart",
           {.variant = lamport, .masters = 3, .crashes = 1, .start_connected = true},
           80'000,
           false},
          {"3 masters, 1 worker: link loss",
           {.variant = lamport,
            .masters = 3,
            .workers = 1,
            .link_losses = 1,
            .start_connected = true},
           60'000,
           false},
      },
      600'000);
}

TEST(LamportChecker, finds_two_holders_if_not_all_answers_are_awaited) {
  expect_found_without(Variant::lamport_not_all_answers, lamport, {.start_connected = true}, 20);
}

TEST(LamportChecker, finds_two_holders_if_nobody_has_to_be_first) {
  expect_found_without(Variant::lamport_not_first, lamport, {.start_connected = true}, 20);
}

// A master that has restarted knows no time, and may ask before it hears that another holds.
TEST(LamportChecker, finds_two_holders_if_a_holder_answers_an_earlier_request) {
  expect_found_without(Variant::lamport_no_late_answer, lamport,
                       {.acquisitions = 2, .crashes = 1, .start_connected = true}, 30);
}

// docs/locks-under-partition.md prints this one.
TEST(LamportUnderPartition, two_masters_hold_at_once) {
  expect_found({.variant = lamport, .link_losses = 1, .start_connected = true, .exclusive = true},
               "two holders", 20);
}

}  // namespace
}  // namespace fixkeep::model
