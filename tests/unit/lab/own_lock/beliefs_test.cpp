#include "lab/own_lock/beliefs.hpp"

#include <gtest/gtest.h>

namespace fixkeep::own_lock {
namespace {

using namespace std::chrono_literals;

constexpr TimePoint start{};

void hold(Beliefs& beliefs, std::size_t node, std::size_t key, Token token, TimePoint at) {
  EXPECT_TRUE(beliefs.acquired(node, key, token, false, 0ms, at));
}

TEST(Beliefs, count_the_time_with_two_believers) {
  Beliefs beliefs{3};
  hold(beliefs, 0, 0, {}, start);
  hold(beliefs, 1, 0, {}, start + 10ms);
  hold(beliefs, 2, 0, {}, start + 15ms);
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
  hold(beliefs, 0, 0, {}, start);
  hold(beliefs, 1, 1, {}, start);
  EXPECT_EQ(beliefs.finish(start + 1s).overlaps, 0U);
}

TEST(Beliefs, of_a_stopped_node_count_again_when_it_continues) {
  Beliefs beliefs{2};
  hold(beliefs, 0, 0, {}, start);
  beliefs.stopped(0, start + 1s);
  hold(beliefs, 1, 0, {}, start + 3s);
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
  hold(beliefs, 0, 0, 7, start);
  beliefs.write(0, 0);
  beliefs.stopped(0, start);
  hold(beliefs, 1, 0, 8, start + 3s);
  beliefs.write(1, 0);
  beliefs.continued(0, start + 4s);
  beliefs.write(0, 0);
  const Figures figures = beliefs.finish(start + 5s);
  EXPECT_EQ(figures.stale_writes, 1U);
  EXPECT_EQ(figures.past_the_fence, 0U);
}

TEST(Beliefs, see_a_token_that_is_not_above_the_earlier_ones) {
  Beliefs beliefs{2};
  hold(beliefs, 0, 0, 7, start);
  beliefs.released(0, 0, start + 1ms);
  hold(beliefs, 1, 0, 7, start + 2ms);
  EXPECT_EQ(beliefs.finish(start + 3ms).tokens_fell, 1U);
}

TEST(Beliefs, let_a_node_fence_whose_token_is_possibly_too_low) {
  Beliefs beliefs{3};
  hold(beliefs, 0, 0, 7, start);
  beliefs.write(0, 0);
  beliefs.stopped(0, start + 1s);
  EXPECT_FALSE(beliefs.acquired(1, 0, 5, true, 0ms, start + 2s));
  EXPECT_FALSE(beliefs.believes(1, 0));
  EXPECT_TRUE(beliefs.acquired(1, 0, 9, true, 0ms, start + 3s));
  beliefs.continued(0, start + 4s);
  beliefs.write(0, 0);  // the fence was raised although the new holder has written nothing yet
  const Figures figures = beliefs.finish(start + 5s);
  EXPECT_EQ(figures.fenced, 1U);
  EXPECT_EQ(figures.holds, 2U);
  EXPECT_EQ(figures.stale_writes, 1U);
  EXPECT_EQ(figures.past_the_fence, 0U);
}

TEST(Beliefs, measure_the_time_from_a_kill_to_the_next_grant) {
  Beliefs beliefs{3};
  hold(beliefs, 0, 0, {}, start);
  beliefs.killed(0, start + 1s);
  hold(beliefs, 1, 0, {}, start + 4s);
  beliefs.killed(1, start + 5s);
  const Figures figures = beliefs.finish(start + 9s);
  EXPECT_EQ(figures.no_holder, std::vector<Duration>{3s});
  EXPECT_EQ(figures.never_granted, 1U);
}

TEST(Beliefs, see_no_time_without_a_holder_if_the_stopped_one_is_back_first) {
  Beliefs beliefs{2};
  hold(beliefs, 0, 0, {}, start);
  beliefs.stopped(0, start + 1s);
  beliefs.continued(0, start + 2s);
  beliefs.released(0, 0, start + 3s);
  hold(beliefs, 1, 0, {}, start + 4s);
  const Figures figures = beliefs.finish(start + 5s);
  EXPECT_TRUE(figures.no_holder.empty());
  EXPECT_EQ(figures.never_granted, 0U);
}

}  // namespace
}  // namespace fixkeep::own_lock
