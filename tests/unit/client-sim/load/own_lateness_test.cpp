#include "client-sim/load/own_lateness.hpp"

#include <gtest/gtest.h>

namespace fixkeep::client_sim {
namespace {

using namespace std::chrono_literals;

constexpr OwnLateness::Time start{1000s};

TEST(OwnLateness, is_what_a_tick_waited_for) {
  OwnLateness own;
  EXPECT_EQ(own.lag(start), 0ms) << "nothing is due before it has begun";
  own.begin(start);
  EXPECT_EQ(own.next(), start + 50ms);
  own.tick(start + 40ms);  // early: nothing is due
  own.tick(start + 50ms);
  own.tick(start + 107ms);
  EXPECT_EQ(own.all_ms(), (std::vector<double>{0, 7}));
  EXPECT_EQ(own.next(), start + 150ms);
}

TEST(OwnLateness, of_a_long_pause_has_every_tick_that_was_missed) {
  OwnLateness own;
  own.begin(start);
  own.tick(start + 200ms);
  EXPECT_EQ(own.all_ms(), (std::vector<double>{150, 100, 50, 0}));
}

TEST(OwnLateness, lags_by_the_last_tick_or_by_one_that_is_overdue) {
  OwnLateness own;
  own.begin(start);
  EXPECT_EQ(own.lag(start + 90ms), 40ms) << "overdue";
  own.tick(start + 90ms);
  EXPECT_EQ(own.lag(start + 95ms), 40ms) << "what is read now may have come in the pause";
  own.tick(start + 100ms);
  EXPECT_EQ(own.lag(start + 120ms), 0ms);
}

}  // namespace
}  // namespace fixkeep::client_sim
