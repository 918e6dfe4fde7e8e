#include "lab/own_lock/beliefs.hpp"

#include <gtest/gtest.h>

namespace fixkeep::own_lock {
namespace {

using namespace std::chrono_literals;

constexpr TimePoint start{};

TEST(Beliefs, count_the_time_with_two_believers) {
  Beliefs beliefs{3};
  beliefs.acquired(0, 0, {}, 0ms, start);
  beliefs.acquired(1, 0, {}, 0ms, start + 10ms);
  beliefs.acquired(2, 0, {}, 0ms, start + 15ms);
  beliefs.released(0, 0, start + 20ms);
  beliefs.lost(1, 0, start + 30ms);
  beliefs.released(2, 0, start + 90ms);
  const Figures figures = beliefs.finish(start + 100ms);
  EXPECT_EQ(figures.overlaps, 1U);
  EXPECT_EQ(figures.two_believers, Duration{20ms});
  EXPECT_EQ(figures.lost, 1U);
  EXPECT_EQ(figures.holds, 3U);
}

TEST(Beliefs, of_different_keys_do_not_meet) {
  Beliefs beliefs{2};
  beliefs.acquired(0, 0, {}, 0ms, start);
  beliefs.acquired(1, 1, {}, 0ms, start);
  EXPECT_EQ(beliefs.finish(start + 1s).overlaps, 0U);
}

TEST(Beliefs, of_a_stopped_node_count_again_when_it_continues) {
  Beliefs beliefs{2};
  beliefs.acquired(0, 0, {}, 0ms, start);
  beliefs.stopped(0, start + 1s);
  beliefs.acquired(1, 0, {}, 0ms, start + 3s);
  EXPECT_EQ(beliefs.believers(0), std::vector<std::size_t>{1});
  beliefs.continued(0, start + 4s);
  beliefs.write(0, 0);
  beliefs.lost(0, 0, start + 4s + 5ms);
  const Figures figures = beliefs.finish(start + 5s);
  EXPECT_EQ(figures.overlaps, 1U);
  EXPECT_EQ(figures.two_believers, Duration{5ms});
  EXPECT_EQ(figures.stale_writes, 1U);
  EXPECT_EQ(figures.past_the_fence, 1U);  // the lock gave no token
  EXPECT_EQ(figures.no_holder, std::vector<Duration>{2s});
}

TEST(Beliefs, let_the_fence_refuse_a_write_with_an_old_token) {
  Beliefs beliefs{2};
  beliefs.acquired(0, 0, 7, 0ms, start);
  beliefs.write(0, 0);
  beliefs.stopped(0, start);
  beliefs.acquired(1, 0, 8, 0ms, start + 3s);
  beliefs.write(1, 0);
  beliefs.continued(0, start + 4s);
  beliefs.write(0, 0);
  const Figures figures = beliefs.finish(start + 5s);
  EXPECT_EQ(figures.stale_writes, 1U);
  EXPECT_EQ(figures.past_the_fence, 0U);
}

TEST(Beliefs, see_a_token_that_is_not_above_the_earlier_ones) {
  Beliefs beliefs{2};
  beliefs.acquired(0, 0, 7, 0ms, start);
  beliefs.released(0, 0, start + 1ms);
  beliefs.acquired(1, 0, 7, 0ms, start + 2ms);
  EXPECT_EQ(beliefs.finish(start + 3ms).tokens_fell, 1U);
}

TEST(Beliefs, measure_the_time_from_a_kill_to_the_next_grant) {
  Beliefs beliefs{3};
  beliefs.acquired(0, 0, {}, 0ms, start);
  beliefs.killed(0, start + 1s);
  beliefs.acquired(1, 0, {}, 0ms, start + 4s);
  beliefs.killed(1, start + 5s);
  const Figures figures = beliefs.finish(start + 9s);
  EXPECT_EQ(figures.no_holder, std::vector<Duration>{3s});
  EXPECT_EQ(figures.never_granted, 1U);
}

TEST(Beliefs, see_no_time_without_a_holder_if_the_stopped_one_is_back_first) {
  Beliefs beliefs{2};
  beliefs.acquired(0, 0, {}, 0ms, start);
  beliefs.stopped(0, start + 1s);
  beliefs.continued(0, start + 2s);
  beliefs.released(0, 0, start + 3s);
  beliefs.acquired(1, 0, {}, 0ms, start + 4s);
  const Figures figures = beliefs.finish(start + 5s);
  EXPECT_TRUE(figures.no_holder.empty());
  EXPECT_EQ(figures.never_granted, 0U);
}

}  // namespace
}  // namespace fixkeep::own_lock
