#include "lab/locks/log.hpp"

#include <gtest/gtest.h>

namespace fixkeep::client_sim {
namespace {

Acquire granted(std::size_t node, std::uint64_t counter, std::int64_t asked, std::int64_t ended,
                std::int64_t released, std::uint32_t key = 0) {
  return {node, AcquireOutcome::granted, key, counter, asked, ended, released};
}

TEST(LockLog, is_read_line_by_line) {
  std::vector<Acquire> acquires;
  EXPECT_EQ(
      read_lock_log("granted 3 17 100 200 300\nlost 4 0 5 6 0\nabandoned 1 0 7 8 0\n", 2, acquires),
      0U);
  ASSERT_EQ(acquires.size(), 3U);
  EXPECT_EQ(acquires[0].node, 2U);
  EXPECT_EQ(acquires[0].outcome, AcquireOutcome::granted);
  EXPECT_EQ(acquires[0].key, 3U);
  EXPECT_EQ(acquires[0].counter, 17U);
  EXPECT_EQ(acquires[0].asked_ns, 100);
  EXPECT_EQ(acquires[0].ended_ns, 200);
  EXPECT_EQ(acquires[0].released_ns, 300);
  EXPECT_EQ(acquires[1].outcome, AcquireOutcome::lost);
  EXPECT_EQ(acquires[2].outcome, AcquireOutcome::abandoned);
}

TEST(LockLog, counts_what_it_does_not_understand) {
  std::vector<Acquire> acquires;
  EXPECT_EQ(read_lock_log("granted 3 17 100 200\nflown 1 2 3 4 5\ngranted 1 2 3 4 5 6\n\n"
                          "granted x 2 3 4 5\ngranted 1 2 3 4 5",
                          0, acquires),
            5U);
  EXPECT_EQ(acquires.size(), 1U);
}

TEST(LockHistory, of_turns_has_no_fault) {
  const auto history = judge_history(
      {granted(1, 2, 5, 20, 29), granted(0, 1, 0, 10, 19), granted(2, 3, 6, 30, 39)}, 3);
  EXPECT_EQ(history.grants, 3U);
  EXPECT_EQ(history.handovers, 2U);
  EXPECT_EQ(history.double_holders, 0U);
  EXPECT_EQ(history.tokens_fell, 0U);
  EXPECT_DOUBLE_EQ(history.fairness, 1.0);
  EXPECT_EQ(history.longest_wait_ns, 24);
  EXPECT_EQ(history.longest_overtaking, 2U) << "node 2 saw both of the others go first";
}

TEST(LockHistory, sees_two_holders_of_one_key_only) {
  const auto same = judge_history({granted(0, 1, 0, 10, 21), granted(1, 2, 0, 20, 30)}, 2);
  EXPECT_EQ(same.double_holders, 1U);
  const auto two_keys = judge_history({granted(0, 1, 0, 10, 21), granted(1, 2, 0, 20, 30, 7)}, 2);
  EXPECT_EQ(two_keys.double_holders, 0U);
  const auto touching = judge_history({granted(0, 1, 0, 10, 20), granted(1, 2, 0, 20, 30)}, 2);
  EXPECT_EQ(touching.double_holders, 0U);
}

TEST(LockHistory, sees_a_hold_that_outlasts_shorter_ones_of_the_same_node) {
  const auto history =
      judge_history({granted(0, 1, 0, 10, 50), granted(1, 2, 0, 60, 65), granted(0, 3, 0, 70, 100),
                     granted(1, 4, 0, 80, 81), granted(1, 5, 0, 90, 91)},
                    2);
  EXPECT_EQ(history.double_holders, 2U);
}

TEST(LockHistory, sees_tokens_that_do_not_grow) {
  const auto history = judge_history(
      {granted(0, 5, 0, 10, 11), granted(1, 5, 0, 20, 21), granted(0, 5, 0, 30, 31)}, 2);
  EXPECT_EQ(history.tokens_fell, 1U) << "equal counters are ordered by node";
}

TEST(LockHistory, counts_those_who_wait_in_vain) {
  Acquire starved{1, AcquireOutcome::abandoned, 0, 0, 0, 1000, 0};
  Acquire refused{1, AcquireOutcome::lost, 1, 0, 0, 10, 0};
  const auto history =
      judge_history({granted(0, 1, 0, 10, 11), granted(0, 2, 12, 20, 21), starved, refused}, 2);
  EXPECT_EQ(history.longest_overtaking, 2U);
  EXPECT_EQ(history.longest_wait_ns, 1000);
  EXPECT_EQ(history.losses, 1U);
  EXPECT_EQ(history.handovers, 0U);
  EXPECT_DOUBLE_EQ(history.fairness, 0.5) << "one of two had it all";
}

TEST(LockHistory, of_nothing_is_empty) {
  const auto history = judge_history({}, 3);
  EXPECT_EQ(history.grants, 0U);
  EXPECT_EQ(history.fairness, 0);
}

}  // namespace
}  // namespace fixkeep::client_sim
