// How long a player who comes now will wait, by those that got their seats, gave up, or wait still.
#include "common/base/wait_estimator.hpp"

#include <gtest/gtest.h>

#include <chrono>

namespace fixkeep {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr TimePoint noon{std::chrono::hours{12}};

TEST(WaitHistogram, is_wrong_by_a_sixteenth_at_most_and_never_tells_too_little) {
  for (std::int64_t ms = 0; ms < 4'000'000; ms += 1 + ms / 50) {
    const auto told = WaitHistogram::longest_of(WaitHistogram::bucket_of(milliseconds{ms}));
    ASSERT_GE(told, milliseconds{ms});
    ASSERT_LE(told, milliseconds{ms + ms / 16});
  }
  EXPECT_EQ(WaitHistogram::bucket_of(std::chrono::hours{100}), WaitHistogram::buckets - 1);
  EXPECT_EQ(WaitHistogram::bucket_of(milliseconds{-1}), 0U);
}

TEST(WaitEstimator, tells_what_half_and_what_nine_of_ten_waited) {
  WaitEstimator waits;
  for (int i = 1; i <= 10; ++i) waits.seated(milliseconds{i}, noon);
  const WaitEstimator::Waits both{milliseconds{5}, milliseconds{9}};
  EXPECT_EQ(waits.seen(noon), both);
  EXPECT_EQ(waits.estimate(noon, {}), both);
  EXPECT_EQ(waits.seated_count(noon), 10U);
}

TEST(WaitEstimator, knows_nothing_before_anybody_has_waited) {
  EXPECT_EQ(WaitEstimator{}.seen(noon), WaitEstimator::Waits{});
  EXPECT_EQ(WaitEstimator{}.estimate(noon, {}), WaitEstimator::Waits{});
}

TEST(WaitEstimator, counts_whoever_waits_still_or_gave_up_as_waiting_for_longer) {
  WaitEstimator waits;
  for (int i = 0; i < 10; ++i) waits.seated(milliseconds{1}, noon);
  WaitHistogram waiting;
  for (int i = 0; i < 10; ++i) waiting.add(milliseconds{15});
  EXPECT_EQ(waits.estimate(noon, waiting), (WaitEstimator::Waits{milliseconds{1}, std::nullopt}))
      << "half of them got a seat, and of the others nobody knows";
  EXPECT_EQ(waits.seen(noon).p90, milliseconds{1});
  waits.gave_up(milliseconds{15}, noon);
  EXPECT_EQ(waits.estimate(noon, waiting), WaitEstimator::Waits{});
}

TEST(WaitEstimator, leaves_out_whoever_has_waited_for_less) {
  WaitEstimator waits;
  for (int i = 0; i < 10; ++i) waits.seated(milliseconds{8}, noon);
  WaitHistogram waiting;
  for (int i = 0; i < 100; ++i) waiting.add(milliseconds{2});
  EXPECT_EQ(waits.estimate(noon, waiting).p90, milliseconds{8})
      << "they have just come, which says nothing";
}

TEST(WaitEstimator, forgets_after_some_minutes) {
  WaitEstimator waits;
  waits.seated(milliseconds{3}, noon);
  EXPECT_EQ(waits.seen(noon + minutes{9}).p50, milliseconds{3});
  EXPECT_EQ(waits.seen(noon + minutes{11}).p50, std::nullopt);
  waits.seated(milliseconds{7}, noon + minutes{10});
  EXPECT_EQ(waits.seen(noon + minutes{10}).p50, milliseconds{7}) << "its place is taken";
}

TEST(WaitEstimator, goes_no_further_back_than_it_has_to) {
  WaitEstimator waits;
  for (std::uint64_t i = 0; i < WaitEstimator::enough; ++i) waits.seated(milliseconds{9}, noon);
  const TimePoint later = noon + minutes{2};
  waits.seated(milliseconds{2}, later);
  EXPECT_EQ(waits.estimate(later, {}).p50, milliseconds{9}) << "one is not enough";
  for (std::uint64_t i = 1; i < WaitEstimator::enough; ++i) waits.seated(milliseconds{2}, later);
  EXPECT_EQ(waits.estimate(later, {}).p90, milliseconds{2});
  EXPECT_EQ(waits.seen(later).p90, milliseconds{9});
}

}  // namespace
}  // namespace fixkeep
