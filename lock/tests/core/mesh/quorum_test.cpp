#include "lock/core/mesh/quorum.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <vector>

#include "lock/core/mesh/tree_quorum.hpp"

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

TEST(TreeQuorum, any_two_share_a_voter) {
  // A quorum in every second set of masters at most: none in a set and in the rest of the masters.
  for (int n = 1; n <= 11; ++n) {
    const auto all = masters(n);
    const bool full = ((n + 1) & n) == 0;
    for (unsigned set = 0; set < 1U << static_cast<unsigned>(n); ++set) {
      std::set<MasterId> some;
      std::set<MasterId> rest;
      unsigned bit = 1;
      for (const auto master : all) {
        ((set & bit) != 0 ? some : rest).insert(master);
        bit <<= 1U;
      }
      const auto one = tree_quorum(all, some, {});
      const auto other = tree_quorum(all, rest, {});
      ASSERT_FALSE(one && other) << n << " masters, set " << set;
      ASSERT_TRUE(one || other || !full) << n << " masters: no set stops all others for nothing";
      if (one) { ASSERT_TRUE(std::includes(some.begin(), some.end(), one->begin(), one->end())); }
    }
  }
}

TEST(TreeQuorum, is_a_path_if_all_masters_are_there) {
  for (int n = 1; n <= 64; ++n) {
    const auto all = masters(n);
    const auto quorum = tree_quorum(all, all, {});
    ASSERT_TRUE(quorum);
    EXPECT_EQ(quorum->size(), std::floor(std::log2(n + 1))) << n;
    EXPECT_TRUE(quorum->contains(*all.begin()));
  }
}

TEST(TreeQuorum, has_a_path_below_each_child_of_a_master_that_is_away) {
  const auto usable = [](std::set<int> numbers) {
    std::set<MasterId> some;
    for (const int each : numbers) some.insert(MasterId{static_cast<std::uint16_t>(3 * each)});
    return some;
  };
  const auto all = masters(7);
  EXPECT_EQ(tree_quorum(all, usable({2, 3, 4, 5, 6, 7}), {}), usable({2, 3, 4, 6}));
  EXPECT_EQ(tree_quorum(all, usable({1, 2, 5, 6, 7}), {}), usable({1, 2, 5}));
  EXPECT_EQ(tree_quorum(all, usable({4, 5, 6, 7}), {}), usable({4, 5, 6, 7}));
  EXPECT_EQ(tree_quorum(all, usable({3, 5, 6, 7}), {}), std::nullopt) << "1, 2 and 4 are a path";
  EXPECT_EQ(tree_quorum(all, all, usable({7})), usable({1, 3, 7})) << "7 is asked already";
}

TEST(Electorate, asks_nobody_if_no_path_is_reachable) {
  const auto all = masters(7);
  const auto self = *all.rbegin();
  const Electorate tree{Quorum::tree, all, self, {}};
  EXPECT_TRUE(tree.still_to_ask({self}, {*all.begin()}).empty());
  EXPECT_EQ(tree.still_to_ask({self}, all).size(), 2U);
}

TEST(Majority, is_more_than_half) {
  for (std::size_t n = 1; n <= 9; ++n) {
    EXPECT_GT(2 * majority(n), n);
    EXPECT_LE(2 * (majority(n) - 1), n);
  }
}

}  // namespace
}  // namespace fixkeep::lock
