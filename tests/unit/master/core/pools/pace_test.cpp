// The share of the deciding thread that pools have.
#include "master/core/pools/pace.hpp"

#include <gtest/gtest.h>

namespace fixkeep::master {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

struct PoolPaceTest : testing::Test {
  const GroupKey coop{"coop"};
  const GroupKey duel{"duel"};
  const TimePoint began{seconds{100}};
  PoolPace pace;
};

TEST_F(PoolPaceTest, lets_a_pool_have_one_hold_in_a_batch) {
  pace.hold_begins(coop, began);
  EXPECT_GT(pace.rests_until(coop), began);
  EXPECT_LE(pace.rests_until(coop), began + milliseconds{1});
  EXPECT_LE(pace.rests_until(duel), began) << "another one need not wait for it";
}

TEST_F(PoolPaceTest, rests_for_nine_times_as_long_as_the_work_of_all_pools_took) {
  pace.hold_begins(coop, began);
  EXPECT_TRUE(pace.take_worked());
  EXPECT_FALSE(pace.take_worked()) << "that batch was told";
  pace.worked(milliseconds{20}, began);
  EXPECT_EQ(pace.rests_until(coop), began + milliseconds{180});
  EXPECT_EQ(pace.rests_until(duel), began + milliseconds{180});
  pace.works();  // it lends to a holder elsewhere
  EXPECT_TRUE(pace.take_worked());
  pace.worked(milliseconds{10}, began + milliseconds{50});
  EXPECT_EQ(pace.rests_until(coop), began + milliseconds{270});
}

TEST_F(PoolPaceTest, keeps_players_waiting_for_a_second_at_most) {
  pace.hold_begins(coop, began);
  pace.worked(seconds{4}, began);
  EXPECT_EQ(pace.rests_until(coop), began + PoolPace::longest_rest);
}

}  // namespace
}  // namespace fixkeep::master
