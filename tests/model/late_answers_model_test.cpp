// The exhaustive search where workers answer late and live: their links stay up, and what they are
// told and what they say is under way for as long as it likes, also beyond the end of the hold that
// waits for it. Nobody is taken for dead, so nothing is ever unknown for good.
#include <gtest/gtest.h>

#include "tests/model/checks.hpp"

namespace fixkeep::model {
namespace {

constexpr Budget late{
    .workers = 1, .acquisitions = 2, .holds_cut = 1, .slow_answers = true, .start_connected = true};

Budget with(Budget budget, void (*change)(Budget&)) {
  change(budget);
  return budget;
}

TEST(LateAnswers, of_workers_that_live_make_no_second_room) {
  expect_all_hold(
      {
          {"holds that end first", with(late, [](Budget& budget) { budget.holds_cut = 2; }),
           1'000'000, true},
          {"abandon, refusal",
           with(late,
                [](Budget& budget) {
                  budget.abandons = 1;
                  budget.refusals = 1;
                }),
           1'000'000, true},
          {"two workers",
           with(late,
                [](Budget& budget) {
                  budget.workers = 2;
                  budget.acquisitions = 1;
                }),
           1'000'000, true},
      },
      100'000);
}

TEST(LateAnswers, to_orders_of_a_lock_that_was_given_on_make_no_second_room) {
  expect_all_hold(
      {
          {"holds that end first",
           with(late,
                [](Budget& budget) {
                  budget.holds_cut = 2;
                  budget.early_release = true;
                }),
           1'000'000, true},
          {"abandon, refusal",
           with(late,
                [](Budget& budget) {
                  budget.abandons = 1;
                  budget.refusals = 1;
                  budget.early_release = true;
                }),
           1'000'000, true},
      },
      100'000);
}

// An order that nobody has answered is no order that is void.
TEST(LateAnswersChecker, finds_two_rooms_if_an_order_without_an_answer_is_given_up_unfenced) {
  expect_found(with(late,
                    [](Budget& budget) {
                      budget.early_release = true;
                      budget.orders_fenced = false;
                    }),
               "two rooms", 30);
}

}  // namespace
}  // namespace fixkeep::model
