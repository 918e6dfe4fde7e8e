#include "worker/core/promises.hpp"

#include <gtest/gtest.h>

#include <string>

namespace fixkeep::worker {
namespace {

const TimePoint start{std::chrono::seconds{100}};

CreationId order(FencingToken token, std::uint32_t index = 0, std::uint64_t orderer = 1) {
  return {token, index, Incarnation{orderer}};
}

GroupKey group(int number) {
  return GroupKey{"g" + std::to_string(number)};
}

TEST(Promises, a_flood_of_groups_is_bounded_and_lets_no_stale_order_through) {
  Promises promises{std::chrono::minutes{10}, 3};
  for (int i = 1; i <= 4; ++i) {
    const FencingToken token{static_cast<std::uint64_t>(10 * i), MasterId{1}};
    ASSERT_TRUE(promises.promise(group(i), token, start));
  }
  EXPECT_EQ(promises.size(), 3U);
  const FencingToken late{9, MasterId{2}};
  EXPECT_FALSE(promises.allow(group(1), order(late), late, start))
      << "forgotten, but under the floor";
  const FencingToken above{11, MasterId{2}};
  EXPECT_FALSE(promises.allow(group(1), order(above), {}, start))
      << "does not build on the lost fence";
  EXPECT_TRUE(promises.allow(group(1), order(above), above, start));
}

TEST(Promises, a_group_that_is_used_is_not_the_one_to_be_forgotten) {
  Promises promises{std::chrono::minutes{10}, 2};
  const FencingToken token{5, MasterId{1}};
  ASSERT_TRUE(promises.promise(group(1), token, start));
  ASSERT_TRUE(promises.promise(group(2), token, start));
  ASSERT_TRUE(promises.allow(group(1), order({6, MasterId{1}}), token, start));
  ASSERT_TRUE(promises.promise(group(3), {7, MasterId{1}}, start));
  EXPECT_EQ(promises.highest(group(1)), (FencingToken{6, MasterId{1}}));
  EXPECT_EQ(promises.highest(group(2)), token) << "the floor";
  EXPECT_EQ(promises.highest(group(4)), token) << "the token of the group that was forgotten";
}

// Long before a worker forgets a group its masters have, so their tokens are above the floor that
// it leaves, and an order that builds on an old fence of another group is as good as ever.
TEST(Promises, what_was_forgotten_in_time_costs_other_groups_no_fence) {
  Promises promises{std::chrono::minutes{10}};
  const FencingToken fence{5, MasterId{1}};
  ASSERT_TRUE(promises.promise(group(1), fence, start));
  ASSERT_TRUE(promises.promise(group(2), {70, MasterId{1}}, start));
  promises.forget_idle(start + std::chrono::minutes{10}, [](const GroupKey&) { return false; });
  EXPECT_EQ(promises.size(), 0U);
  EXPECT_EQ(promises.highest(group(1)), (FencingToken{70, MasterId{1}}));
  EXPECT_FALSE(promises.allow(group(1), order({70, MasterId{1}}), fence, start)) << "used, maybe";
  EXPECT_TRUE(promises.allow(group(1), order({71, MasterId{1}}), fence, start));
  EXPECT_EQ(promises.highest_counter(), 71U);
}

TEST(Promises, an_order_binds_its_token_to_its_orderer_and_a_higher_one_frees_nothing) {
  Promises promises{std::chrono::minutes{10}};
  const FencingToken five{5, MasterId{1}};
  const FencingToken six{6, MasterId{1}};
  ASSERT_TRUE(promises.promise(group(1), five, start));
  EXPECT_TRUE(promises.allow(group(1), order(five, 0, 1), five, start));
  EXPECT_FALSE(promises.allow(group(1), order(five, 0, 2), five, start));
  EXPECT_TRUE(promises.allow(group(1), order(six, 0, 2), five, start));
  EXPECT_FALSE(promises.allow(group(1), order(six, 1, 1), five, start));
  EXPECT_TRUE(promises.allow(group(1), order(six, 1, 2), five, start));
}

// The token that another run of a master has used is not the highest any more.
TEST(Promises, a_promise_above_a_used_token_is_for_whichever_run_orders_first) {
  Promises promises{std::chrono::minutes{10}};
  const FencingToken five{5, MasterId{1}};
  const FencingToken six{6, MasterId{1}};
  ASSERT_TRUE(promises.allow(group(1), order(five, 0, 1), {}, start));
  ASSERT_TRUE(promises.promise(group(1), six, start));
  EXPECT_TRUE(promises.allow(group(1), order(six, 0, 2), six, start));
  EXPECT_FALSE(promises.allow(group(1), order(six, 1, 1), six, start));
}

}  // namespace
}  // namespace fixkeep::worker
