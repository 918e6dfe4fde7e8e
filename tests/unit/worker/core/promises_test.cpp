#include "worker/core/promises.hpp"

#include <gtest/gtest.h>

#include <string>

namespace fixkeep::worker {
namespace {

const TimePoint start{std::chrono::seconds{100}};

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
  EXPECT_FALSE(promises.allow(group(1), late, late, start)) << "forgotten, but under the floor";
  const FencingToken above{11, MasterId{2}};
  EXPECT_FALSE(promises.allow(group(1), above, {}, start)) << "does not build on the lost fence";
  EXPECT_TRUE(promises.allow(group(1), above, above, start));
}

TEST(Promises, a_group_that_is_used_is_not_the_one_to_be_forgotten) {
  Promises promises{std::chrono::minutes{10}, 2};
  const FencingToken token{5, MasterId{1}};
  ASSERT_TRUE(promises.promise(group(1), token, start));
  ASSERT_TRUE(promises.promise(group(2), token, start));
  ASSERT_TRUE(promises.allow(group(1), {6, MasterId{1}}, token, start));
  ASSERT_TRUE(promises.promise(group(3), {7, MasterId{1}}, start));
  EXPECT_EQ(promises.highest(group(1)), (FencingToken{6, MasterId{1}}));
  EXPECT_EQ(promises.highest(group(2)), token) << "the floor";
}

}  // namespace
}  // namespace fixkeep::worker
