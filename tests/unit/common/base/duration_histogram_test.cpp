#include "common/base/duration_histogram.hpp"

#include <gtest/gtest.h>

namespace fixkeep {
namespace {

using std::chrono::hours;
using std::chrono::microseconds;

TEST(DurationHistogram, puts_a_duration_into_the_bucket_that_ends_above_it) {
  DurationHistogram times;
  times.add(microseconds{0});
  times.add(microseconds{1});
  times.add(microseconds{1023});
  times.add(microseconds{1024});
  EXPECT_EQ(times.counts()[0], 1U);
  EXPECT_EQ(times.counts()[1], 1U);
  EXPECT_EQ(times.counts()[10], 1U);
  EXPECT_EQ(times.counts()[11], 1U);
  EXPECT_EQ(times.count(), 4U);
  EXPECT_EQ(times.sum_us(), 2048U);
}

TEST(DurationHistogram, adds_all_that_another_one_has_counted) {
  DurationHistogram times;
  times.add(microseconds{3});
  DurationHistogram others;
  others.add(microseconds{2});
  others.add(microseconds{1000});
  times.add(others);
  EXPECT_EQ(times.counts()[2], 2U);
  EXPECT_EQ(times.counts()[10], 1U);
  EXPECT_EQ(times.sum_us(), 1005U);
  EXPECT_EQ(others.count(), 2U);
}

TEST(DurationHistogram, keeps_what_is_too_long_in_the_last_bucket_and_the_past_in_the_first) {
  DurationHistogram times;
  times.add(hours{5});
  times.add(microseconds{-7});
  EXPECT_EQ(times.counts().back(), 1U);
  EXPECT_EQ(times.counts().front(), 1U);
  EXPECT_EQ(times.sum_us(), 5ULL * 3600 * 1000000);
}

TEST(DurationHistogram, gives_percentiles_by_nearest_rank_as_ends_of_buckets) {
  DurationHistogram times;
  EXPECT_EQ(times.percentile_us(0.5), 0U);
  for (int i = 0; i < 99; ++i) times.add(microseconds{3});
  times.add(microseconds{5000});
  EXPECT_EQ(times.percentile_us(0.5), 4U);
  EXPECT_EQ(times.percentile_us(0.99), 4U);
  EXPECT_EQ(times.percentile_us(0.991), 8192U);
  EXPECT_EQ(times.percentile_us(1), 8192U);
}

}  // namespace
}  // namespace fixkeep
