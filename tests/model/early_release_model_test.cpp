// The exhaustive search of holders that give the lock on before their orders are answered: the lock
// value names the orders, and the next holder waits for the rooms, or fences.
#include <gtest/gtest.h>

#include "tests/model/checks.hpp"

namespace fixkeep::model {
namespace {

TEST(EarlyRelease, holds_in_every_state_of_two_masters_and_one_worker) {
  expect_all_hold(
      {
          {"link loss, abandon",
           {.workers = 1,
            .acquisitions = 2,
            .abandons = 1,
            .link_losses = 1,
            .start_connected = true,
            .early_release = true},
           1'000'000,
           false},
          {"link loss, worker link loss",
           {.workers = 1,
            .acquisitions = 1,
            .link_losses = 1,
            .worker_link_losses = 1,
            .start_connected = true,
            .early_release = true},
           1'000'000,
           true},
          {"worker link loss, worker restart, abandon",
           {.workers = 1,
            .acquisitions = 2,
            .abandons = 1,
            .worker_link_losses = 1,
            .worker_restarts = 1,
            .start_connected = true,
            .early_release = true},
           1'000'000,
           false},
          {"worker link loss, hold cut short",
           {.workers = 1,
            .acquisitions = 2,
            .worker_link_losses = 1,
            .holds_cut = 1,
            .start_connected = true,
            .early_release = true},
           500'000,
           false},
          {"crash, worker link loss",
           {.workers = 1,
            .acquisitions = 1,
            .crashes = 1,
            .worker_link_losses = 1,
            .start_connected = true,
            .early_release = true},
           1'000'000,
           true},
          {"worker link loss, refusal, slow answers",
           {.workers = 1,
            .acquisitions = 2,
            .worker_link_losses = 1,
            .refusals = 1,
            .slow_answers = true,
            .start_connected = true,
            .early_release = true},
           1'000'000,
           true},
      },
      500'000);
}

TEST(EarlyRelease, holds_in_every_state_of_two_masters_and_two_workers) {
  expect_all_hold(
      {
          {"worker link loss, slow answers",
           {.workers = 2,
            .acquisitions = 1,
            .worker_link_losses = 1,
            .slow_answers = true,
            .start_connected = true,
            .early_release = true},
           400'000,
           true},
          {"refusal, crash",
           {.workers = 2,
            .acquisitions = 1,
            .crashes = 1,
            .refusals = 1,
            .start_connected = true,
            .early_release = true},
           400'000,
           true},
          {"link loss, refusal",
           {.workers = 2,
            .acquisitions = 1,
            .link_losses = 1,
            .refusals = 1,
            .start_connected = true,
            .early_release = true},
           400'000,
           false},
          {"three acquisitions each, refusal, worker restart",
           {.workers = 2,
            .acquisitions = 3,
            .worker_restarts = 1,
            .refusals = 1,
            .start_connected = true,
            .early_release = true},
           400'000,
           false},
      },
      200'000);
}

TEST(EarlyRelease, holds_with_three_masters) {
  expect_all_hold({{"abandon, refusal",
                    {.masters = 3,
                     .workers = 1,
                     .acquisitions = 1,
                     .abandons = 1,
                     .refusals = 1,
                     .start_connected = true,
                     .early_release = true},
                    400'000,
                    false}},
                  50'000);
}

// --- what the search finds when a rule is missing

TEST(EarlyReleaseChecker, finds_two_rooms_if_the_lock_value_does_not_name_the_orders) {
  expect_found({.workers = 2,
                .acquisitions = 1,
                .start_connected = true,
                .early_release = true,
                .orders_named = false},
               "two rooms", 24);
}

TEST(EarlyReleaseChecker, finds_two_rooms_if_a_room_is_given_up_without_a_fence) {
  expect_found({.workers = 2,
                .acquisitions = 1,
                .start_connected = true,
                .early_release = true,
                .orders_fenced = false},
               "two rooms", 24);
}

TEST(EarlyReleaseChecker, finds_an_order_too_many_if_a_worker_that_goes_is_not_awaited) {
  expect_found({.workers = 2,
                .acquisitions = 1,
                .worker_link_losses = 1,
                .start_connected = true,
                .early_release = true,
                .orders_awaited = false},
               "an order although a hinted worker is missing", 24);
}

}  // namespace
}  // namespace fixkeep::model
