#include "master/http/statistics.hpp"

#include <gtest/gtest.h>

namespace fixkeep::master {
namespace {

using std::chrono::milliseconds;

TEST(MatchStatistics, count_requests_by_mode_and_how_they_ended) {
  MatchStatistics counted{{{.name = ModeName{"duel"}}, {.name = ModeName{"raid"}}}};
  for (int i = 0; i < 4; ++i) counted.began(1);
  counted.ended(1, MatchStatistics::seated, milliseconds{1});
  counted.ended(1, MatchStatistics::cancelled, milliseconds{8});
  counted.ended(1, "wait-timeout", milliseconds{30});
  counted.refused_at_once("unknown-mode");
  const auto& raid = counted.modes()[1];
  EXPECT_EQ(raid.mode, ModeName{"raid"});
  EXPECT_EQ(raid.waiting, 1U);
  EXPECT_EQ(raid.outcomes,
            (MatchStatistics::Outcomes{{"seated", 1}, {"cancelled", 1}, {"wait-timeout", 1}}));
  EXPECT_EQ(raid.seated.sum_us(), 1'000U);
  EXPECT_EQ(raid.cancelled.sum_us(), 8'000U);
  EXPECT_EQ(raid.refused.sum_us(), 30'000U);
  EXPECT_EQ(counted.of_no_mode(), (MatchStatistics::Outcomes{{"unknown-mode", 1}}));
  EXPECT_EQ(counted.modes()[0].outcomes,
            (MatchStatistics::Outcomes{{"seated", 0}, {"cancelled", 0}}))
      << "a counter that appears only when it is 1 shows no increase";
}

}  // namespace
}  // namespace fixkeep::master
