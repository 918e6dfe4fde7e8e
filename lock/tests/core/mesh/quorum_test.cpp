#include "lock/core/mesh/quorum.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <vector>

namespace fixkeep::lock {
namespace {

std::set<MasterId> masters(int count) {
  std::set<MasterId> all;
  for (int m = 1; m <= count; ++m) all.insert(MasterId{static_cast<std::uint16_t>(3 * m)});
  return all;
}

TEST(GridQuorum, any_two_share_a_voter) {
  for (int n = 1; n <= 30; ++n) {
    const auto all = masters(n);
    for (const auto a : all) {
      const auto mine = grid_quorum(all, a);
      EXPECT_TRUE(mine.contains(a));
      for (const auto b : all) {
        const auto other = grid_quorum(all, b);
        std::vector<MasterId> shared;
        std::set_intersection(mine.begin(), mine.end(), other.begin(), other.end(),
                              std::back_inserter(shared));
        EXPECT_FALSE(shared.empty()) << n << " masters: " << a.number() << ", " << b.number();
      }
    }
  }
}

TEST(GridQuorum, costs_three_to_six_times_the_square_root_of_the_masters) {
  for (int n = 2; n <= 9; ++n) {
    const auto all = masters(n);
    double sum = 0;
    for (const auto a : all) {
      const auto messages = 3.0 * static_cast<double>(grid_quorum(all, a).size());
      EXPECT_LE(messages, 6 * std::sqrt(n)) << n;
      sum += messages;
    }
    EXPECT_GE(sum / n, 3 * std::sqrt(n)) << n;
  }
}

TEST(Majority, is_more_than_half) {
  for (std::size_t n = 1; n <= 9; ++n) {
    EXPECT_GT(2 * majority(n), n);
    EXPECT_LE(2 * (majority(n) - 1), n);
  }
}

}  // namespace
}  // namespace fixkeep::lock
