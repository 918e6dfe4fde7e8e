// What holds of a pool that several masters share, whatever breaks between them.
#include "tests/unit/master/core/pools/pool_world.hpp"

#include <gtest/gtest.h>

namespace fixkeep::test {
namespace {

struct Sums {
  std::size_t seats = 0;
  std::size_t rooms = 0;
  std::size_t refused = 0;
};

Sums run(std::uint64_t seeds, const PoolFaults& faults) {
  Sums sums;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    PoolWorld world{seed, faults};
    world.run(600);
    world.come_to_rest();
    std::string text;
    for (const auto& line : world.wrong()) text += line + "\n";
    EXPECT_TRUE(world.wrong().empty()) << "seed " << seed << '\n' << text;
    if (!world.wrong().empty()) return sums;
    sums.seats += world.seats();
    sums.rooms += world.rooms();
    sums.refused += world.refused();
  }
  return sums;
}

TEST(PoolOfSeveralMasters, decides_for_all_of_them_while_nothing_fails) {
  const Sums sums = run(200, {});
  EXPECT_GT(sums.seats, 2'000U);
  EXPECT_EQ(sums.refused, 0U);
}

TEST(PoolOfSeveralMasters, seats_nobody_twice_when_holders_lose_their_lock_and_go_on) {
  const Sums sums = run(300, {.lost_lock = 0.2, .late_answer = 0.02});
  EXPECT_GT(sums.refused, 100U) << "no order was late";
}

TEST(PoolOfSeveralMasters, seats_nobody_twice_when_links_break) {
  const Sums sums = run(300, {.lost_lock = 0.1, .broken_link = 0.1, .late_answer = 0.02});
  EXPECT_GT(sums.refused, 100U);
}

TEST(PoolOfSeveralMasters, loses_no_more_than_the_requests_of_a_master_that_dies) {
  const Sums sums =
      run(300, {.lost_lock = 0.02, .broken_link = 0.02, .crash = 0.04, .late_answer = 0.02});
  EXPECT_GT(sums.rooms, 1'000U);
}

}  // namespace
}  // namespace fixkeep::test
