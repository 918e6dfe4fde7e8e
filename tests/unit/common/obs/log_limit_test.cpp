#include "common/obs/log_limit.hpp"

#include <gmock/gmock.h>

namespace fixkeep::obs {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Summary = LogLimit::Summary;

constexpr TimePoint start{1h};

TEST(LogLimit, lets_the_first_lines_of_a_kind_out_at_once_and_then_so_many_an_interval) {
  LogLimit limit{{.burst = 2, .interval = 1s}};
  EXPECT_EQ(limit.admit("a", start), 0U);
  EXPECT_EQ(limit.admit("a", start), 0U);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(limit.admit("a", start + 999ms), std::nullopt);
  EXPECT_EQ(limit.admit("b", start + 999ms), 0U);  // a kind does not silence another
  EXPECT_EQ(limit.admit("a", start + 1s), 100U);
  EXPECT_EQ(limit.admit("a", start + 1s), 0U);
  EXPECT_EQ(limit.admit("a", start + 1s), std::nullopt);
}

TEST(LogLimit, tells_what_it_left_out_though_no_further_line_comes) {
  LogLimit limit{{.burst = 1, .interval = 1s}};
  EXPECT_EQ(limit.admit("a", start), 0U);
  EXPECT_EQ(limit.admit("b", start), 0U);
  EXPECT_EQ(limit.admit("a", start + 10ms), std::nullopt);
  EXPECT_EQ(limit.admit("a", start + 20ms), std::nullopt);
  EXPECT_THAT(limit.summaries(start + 999ms), IsEmpty());
  EXPECT_THAT(limit.summaries(start + 1s), ElementsAre(Summary{"a", 2}));
  EXPECT_THAT(limit.summaries(start + 5s), IsEmpty());
  EXPECT_EQ(limit.admit("a", start + 5s), 0U);  // quiet for an interval: new again
}

TEST(LogLimit, makes_the_intervals_of_what_goes_on_longer_up_to_the_longest) {
  LogLimit limit{{.burst = 1, .interval = 1s, .longest_interval = 8s}};
  std::vector<int> told;
  for (int second = 0; second < 40; ++second) {
    if (limit.admit("peer m2", start + second * 1s)) told.push_back(second);
    (void)limit.admit("peer m2", start + second * 1s + 500ms);
  }
  EXPECT_THAT(told, ElementsAre(0, 1, 3, 7, 15, 23, 31, 39));
  EXPECT_EQ(limit.admit("peer m2", start + 100s), 1U);  // it had ended, and is at the first again
  EXPECT_EQ(limit.admit("peer m2", start + 101s), 0U);
}

TEST(LogLimit, grows_also_for_what_comes_seldom_but_goes_on) {
  LogLimit limit{{.burst = 1, .interval = 1s, .longest_interval = 1min}};
  std::vector<int> told;
  for (int second = 0; second < 200; second += 5) {
    if (limit.admit("peer m2", start + second * 1s)) told.push_back(second);
    (void)limit.summaries(start + second * 1s);
  }
  EXPECT_THAT(told, ElementsAre(0, 5, 10, 15, 25, 45, 80, 140));
}

TEST(LogLimit, forgets_a_kind_whose_state_has_ended) {
  LogLimit limit{{.burst = 1, .interval = 1h, .longest_interval = 1h}};
  EXPECT_EQ(limit.admit("peer m2", start), 0U);
  EXPECT_EQ(limit.admit("peer m2", start), std::nullopt);
  limit.forget("peer m2");
  limit.forget("nobody");
  EXPECT_EQ(limit.admit("peer m2", start), 0U);
}

TEST(LogLimit, remembers_a_bounded_number_of_kinds_and_loses_no_count) {
  LogLimit limit{{.burst = 1, .interval = 1s, .kinds = 4}};
  std::uint64_t out = 0;
  std::uint64_t left_out = 0;
  for (int i = 0; i < 100; ++i) {
    for (int k = 0; k < 3; ++k) {
      const auto admitted = limit.admit("stranger " + std::to_string(i), start + i * 1ms);
      out += admitted ? 1 : 0;
      left_out += admitted.value_or(0);
    }
  }
  EXPECT_EQ(out, 100U);
  const auto rest = limit.summaries(start + 1h);
  EXPECT_EQ(rest.size(), 5U);
  EXPECT_EQ(rest.back().kind, "others");
  for (const auto& summary : rest) left_out += summary.left_out;
  EXPECT_EQ(left_out, 200U);
}

TEST(LogLimit, says_more_like_it_only_if_there_were_more) {
  EXPECT_EQ(more_like_it(0), "");
  EXPECT_EQ(more_like_it(7), " (and 7 more like it)");
}

}  // namespace
}  // namespace fixkeep::obs
