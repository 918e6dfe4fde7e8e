// The exhaustive search of the production Hold, with the production multiphase lock and the
// production promises of the workers, while links between masters and to workers break and workers
// restart. Longer searches: fixkeep-hold-search (hold_search.cpp).
#include <gtest/gtest.h>

#include "tests/model/checks.hpp"

namespace fixkeep::model {
namespace {

// All faults of one search are in one budget: how they meet is what matters.
TEST(Hold, holds_in_every_state_of_two_masters_and_one_worker) {
  expect_all_hold(
      {
          {"two link losses",
           {.workers = 1, .acquisitions = 2, .link_losses = 2, .start_connected = true},
           1'000'000,
           true},
          {"link loss, worker link loss",
           {.workers = 1,
            .acquisitions = 1,
            .link_losses = 1,
            .worker_link_losses = 1,
            .start_connected = true},
           400'000,
           true},
          {"link loss, worker restart",
           {.workers = 1,
            .acquisitions = 1,
            .link_losses = 1,
            .worker_restarts = 1,
            .start_connected = true},
           400'000,
           true},
          {"worker link loss, worker restart, abandon",
           {.workers = 1,
            .acquisitions = 2,
            .abandons = 1,
            .worker_link_losses = 1,
            .worker_restarts = 1,
            .start_connected = true},
           600'000,
           true},
          {"worker link loss, hold cut short, abandon",
           {.workers = 1,
            .acquisitions = 2,
            .abandons = 1,
            .worker_link_losses = 1,
            .holds_cut = 1,
            .start_connected = true},
           400'000,
           true},
          {"crash, worker link loss",
           {.workers = 1,
            .acquisitions = 1,
            .crashes = 1,
            .worker_link_losses = 1,
            .start_connected = true},
           400'000,
           true},
          {"worker link loss, refusal, slow answers",
           {.workers = 1,
            .acquisitions = 2,
            .worker_link_losses = 1,
            .refusals = 1,
            .slow_answers = true,
            .start_connected = true},
           400'000,
           true},
      },
      1'000'000);
}

TEST(Hold, holds_in_every_state_of_two_masters_and_two_workers) {
  expect_all_hold(
      {
          {"link loss",
           {.workers = 2, .acquisitions = 1, .link_losses = 1, .start_connected = true},
           400'000,
           true},
          {"worker link loss, slow answers",
           {.workers = 2,
            .acquisitions = 1,
            .worker_link_losses = 1,
            .slow_answers = true,
            .start_connected = true},
           400'000,
           true},
          {"worker restart, refusal",
           {.workers = 2,
            .acquisitions = 1,
            .worker_restarts = 1,
            .refusals = 1,
            .start_connected = true},
           400'000,
           true},
          {"link loss, worker link loss, worker restart",
           {.workers = 2,
            .acquisitions = 1,
            .link_losses = 1,
            .worker_link_losses = 1,
            .worker_restarts = 1,
            .start_connected = true},
           200'000,
           false},
      },
      250'000);
}

// --- what the search finds when a rule is missing

TEST(HoldChecker, finds_two_rooms_if_hints_of_workers_out_of_reach_are_not_passed_on) {
  expect_found({.workers = 1,
                .acquisitions = 2,
                .abandons = 1,
                .worker_link_losses = 1,
                .holds_cut = 1,
                .start_connected = true,
                .hints_passed_on = false},
               "two rooms", 24);
}

TEST(HoldChecker, finds_two_rooms_if_a_state_that_is_older_than_a_hint_hides_it) {
  expect_found({.workers = 1,
                .acquisitions = 2,
                .worker_link_losses = 1,
                .refusals = 1,
                .slow_answers = true,
                .start_connected = true,
                .hints_kept = false},
               "two rooms", 27);
}

}  // namespace
}  // namespace fixkeep::model
