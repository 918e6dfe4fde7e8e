#include "tests/sim/poisson.hpp"

#include <gtest/gtest.h>

namespace fixkeep::sim {
namespace {

// The table of exact limits that every textbook has.
TEST(Poisson, the_interval_of_a_count_is_the_exact_one) {
  EXPECT_DOUBLE_EQ(interval_of(0).low, 0);
  EXPECT_NEAR(interval_of(0).high, 3.689, 0.001);
  EXPECT_NEAR(interval_of(1).low, 0.0253, 0.0001);
  EXPECT_NEAR(interval_of(1).high, 5.572, 0.001);
  EXPECT_NEAR(interval_of(10).low, 4.795, 0.001);
  EXPECT_NEAR(interval_of(10).high, 18.390, 0.001);
}

}  // namespace
}  // namespace fixkeep::sim
