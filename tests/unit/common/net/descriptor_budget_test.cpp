#include "common/net/descriptor_budget.hpp"

#include <gmock/gmock.h>

namespace fixkeep::net {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(DescriptorShares, are_what_is_wanted_if_that_fits) {
  EXPECT_THAT(share_descriptors(30, {{10, 1}, {20, 1}}), ElementsAre(10, 20));
  EXPECT_THAT(share_descriptors(1000, {{10, 1}, {20, 1}, {0, 0}}), ElementsAre(10, 20, 0));
}

TEST(DescriptorShares, give_a_small_use_all_of_it_and_divide_the_rest_equally) {
  EXPECT_THAT(share_descriptors(36, {{4, 4}, {1000, 4}, {1100, 11}}), ElementsAre(4, 16, 16));
  EXPECT_THAT(share_descriptors(101, {{1000, 1}, {50, 1}}), ElementsAre(51, 50));
}

TEST(DescriptorShares, give_everybody_the_least_first) {
  EXPECT_THAT(share_descriptors(15, {{100, 12}, {100, 1}}), ElementsAre(12, 3));
  EXPECT_THAT(share_descriptors(13, {{100, 12}, {100, 1}}), ElementsAre(12, 1));
  EXPECT_THAT(share_descriptors(12, {{100, 12}, {100, 1}}), IsEmpty());
}

TEST(DescriptorShares, never_exceed_what_there_is_nor_what_is_wanted) {
  for (std::size_t limit = 8; limit < 400; ++limit) {
    const std::vector<DescriptorUse> uses{{7, 2}, {150, 3}, {90, 1}, {150, 0}};
    const auto shares = share_descriptors(limit, uses);
    ASSERT_EQ(shares.size(), uses.size());
    std::size_t sum = 0;
    for (std::size_t i = 0; i < uses.size(); ++i) {
      EXPECT_GE(shares[i], uses[i].least);
      EXPECT_LE(shares[i], uses[i].wanted);
      sum += shares[i];
    }
    EXPECT_EQ(sum, std::min<std::size_t>(limit, 397));
  }
}

TEST(DescriptorShares, of_http_count_those_that_are_turned_away) {
  HttpOptions options;
  options.connections = 1000;
  EXPECT_EQ(http_use(options).wanted, 1064U);
  fit_http(options, 1064);
  EXPECT_EQ(options.connections, 1000U);
  fit_http(options, 20);
  EXPECT_EQ(options.connections + options.turned_away, 20U);
  EXPECT_EQ(options.turned_away, 5U);
}

TEST(DescriptorShares, that_cannot_be_had_are_told_with_numbers) {
  EXPECT_THAT(too_few_descriptors(16, 42), HasSubstr("is 16 and 42 are needed"));
}

}  // namespace
}  // namespace fixkeep::net
