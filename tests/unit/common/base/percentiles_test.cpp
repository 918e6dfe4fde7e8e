#include "common/base/percentiles.hpp"

#include <gtest/gtest.h>

namespace fixkeep {
namespace {

TEST(Percentiles, are_by_nearest_rank) {
  std::vector<double> values;
  for (int value = 100; value >= 1; --value) values.push_back(value);
  EXPECT_EQ(percentiles(values), (Percentiles{.p50 = 50, .p90 = 90, .p99 = 99, .max = 100}));
  EXPECT_EQ(percentiles({7}), (Percentiles{.p50 = 7, .p90 = 7, .p99 = 7, .max = 7}));
  EXPECT_EQ(percentiles({3, 1, 2}), (Percentiles{.p50 = 2, .p90 = 3, .p99 = 3, .max = 3}));
  EXPECT_EQ(percentiles({}), Percentiles{});
}

TEST(Percentiles, do_not_round_the_rank_up_by_an_error) {
  const std::vector<double> ten{1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
  EXPECT_EQ(nearest_rank(ten, 90), 9);
  EXPECT_EQ(nearest_rank(ten, 90.1), 10);
  EXPECT_EQ(nearest_rank(ten, 100), 10);
}

TEST(Spread, takes_the_lower_middle) {
  const auto result = spread({4, 1, 3, 2});
  EXPECT_EQ(result.min, 1);
  EXPECT_EQ(result.median, 2);
  EXPECT_EQ(result.max, 4);
}

TEST(JainIndex, is_one_for_equal_shares_and_least_if_one_has_everything) {
  const std::vector<std::uint64_t> equal{7, 7, 7};
  const std::vector<std::uint64_t> one{0, 9, 0};
  const std::vector<std::uint64_t> two{1, 1, 0};
  EXPECT_DOUBLE_EQ(jain_index(equal), 1);
  EXPECT_DOUBLE_EQ(jain_index(one), 1.0 / 3);
  EXPECT_DOUBLE_EQ(jain_index(two), 2.0 / 3);
  EXPECT_DOUBLE_EQ(jain_index({}), 0);
}

}  // namespace
}  // namespace fixkeep
