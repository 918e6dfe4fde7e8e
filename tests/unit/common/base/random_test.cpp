#include "common/base/random.hpp"

#include <gtest/gtest.h>

#include <array>

namespace fixkeep {
namespace {

TEST(Random, gives_the_same_sequence_for_the_same_seed_on_every_machine) {
  Random random{42};
  EXPECT_EQ(random.next(), 1546998764402558742U);
  EXPECT_EQ(random.next(), 6990951692964543102U);
  EXPECT_EQ(random.next(), 12544586762248559009U);
}

TEST(Random, stays_within_its_bounds_and_reaches_all_of_them) {
  Random random{7};
  std::array<int, 6> seen{};
  for (int i = 0; i < 6000; ++i) {
    const auto value = random.between(-2, 3);
    ASSERT_GE(value, -2);
    ASSERT_LE(value, 3);
    ++seen[static_cast<std::size_t>(value + 2)];
    const double unit = random.unit();
    ASSERT_GE(unit, 0.0);
    ASSERT_LT(unit, 1.0);
  }
  for (const int count : seen) EXPECT_GT(count, 800);
}

TEST(Random, neighbouring_seeds_are_unrelated) {
  Random one{1};
  Random two{2};
  int same = 0;
  for (int i = 0; i < 1000; ++i) same += one.below(2) == two.below(2) ? 1 : 0;
  EXPECT_GT(same, 400);
  EXPECT_LT(same, 600);
}

}  // namespace
}  // namespace fixkeep
