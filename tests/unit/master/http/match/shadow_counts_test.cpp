// What is told of the shadow rules of a mode: in its statistics, and in the metrics.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <nlohmann/json.hpp>

#include "master/http/match/mode_waits.hpp"
#include "master/http/view/metrics_page.hpp"

namespace fixkeep::master {
namespace {

using nlohmann::json;
using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::HasSubstr;
using testing::Not;

void count_wait(ShadowCounts::Rules& rules, Duration waited) {
  rules.waits.add(waited);
  rules.waited.add(waited);
}

// The shadow rules seat six of ten: two earlier, and further apart.
ShadowCounts ten_claims() {
  ShadowCounts counts;
  counts.numbers = {"rating"};
  counts.plans = 7;
  counts.unfinished = 1;
  counts.earlier = 2;
  counts.same_decision = 4;
  counts.not_yet = 4;
  for (int i = 0; i < 10; ++i) count_wait(counts.live, milliseconds{i < 9 ? 12 : 15});
  for (int i = 0; i < 6; ++i) count_wait(counts.shadow, milliseconds{i < 2 ? 3 : 12});
  counts.live.spread[0] = 61;
  counts.shadow.spread[0] = 120;
  return counts;
}

TEST(ShadowCounts, stand_in_the_statistics_of_a_mode_that_has_them) {
  const ModeWaits waits{{{.name = ModeName{"duel"}}}};
  const TimePoint at{seconds{100}};
  EXPECT_FALSE(json::parse(waits.to_json(0, at)).contains("shadow"));
  const ShadowCounts counts = ten_claims();
  EXPECT_EQ(json::parse(waits.to_json(0, at, &counts))["shadow"], json::parse(R"({
    "plans":7,"unfinished":1,"seated":10,"earlier":2,"same_decision":4,"not_yet":4,
    "live_waited":{"p50_ms":12,"p90_ms":12},
    "shadow_waited":{"p50_ms":12,"p90_ms":null},
    "spread":[{"number":"rating","live_mean":10,"shadow_mean":20}]})"))
      << "nine of ten have waited for longer than anybody knows, since four had no seat yet";
}

TEST(ShadowCounts, of_nobody_are_null) {
  const ModeWaits waits{{{.name = ModeName{"duel"}}}};
  ShadowCounts counts;
  counts.numbers = {"rating"};
  EXPECT_EQ(json::parse(waits.to_json(0, TimePoint{}, &counts))["shadow"], json::parse(R"({
    "plans":0,"unfinished":0,"seated":0,"earlier":0,"same_decision":0,"not_yet":0,
    "live_waited":{"p50_ms":null,"p90_ms":null},"shadow_waited":{"p50_ms":null,"p90_ms":null},
    "spread":[{"number":"rating","live_mean":null,"shadow_mean":null}]})"));
}

TEST(ShadowCounts, are_metrics_of_their_mode) {
  const DirectoryView view;
  MetricsFacts facts;
  EXPECT_THAT(*metrics_page(facts, view), Not(HasSubstr("_shadow_")));
  facts.counters.shadows[ModeName{"duel"}] = ten_claims();
  const auto page = metrics_page(facts, view);
  for (const char* line :
       {"fixkeep_master_shadow_plans_total{mode=\"duel\"} 7\n",
        "fixkeep_master_shadow_plans_unfinished_total{mode=\"duel\"} 1\n",
        "fixkeep_master_shadow_claims_total{mode=\"duel\",shadow=\"earlier\"} 2\n",
        "fixkeep_master_shadow_claims_total{mode=\"duel\",shadow=\"same-decision\"} 4\n",
        "fixkeep_master_shadow_claims_total{mode=\"duel\",shadow=\"not-yet\"} 4\n",
        "fixkeep_master_shadow_wait_seconds_count{mode=\"duel\",rules=\"live\"} 10\n",
        "fixkeep_master_shadow_wait_seconds_count{mode=\"duel\",rules=\"shadow\"} 6\n",
        "fixkeep_master_shadow_spread_total{mode=\"duel\",rules=\"live\",number=\"rating\"} 61\n",
        "fixkeep_master_shadow_spread_total{mode=\"duel\",rules=\"shadow\",number=\"rating\"} "
        "120\n"}) {
    EXPECT_THAT(*page, HasSubstr(line));
  }
}

}  // namespace
}  // namespace fixkeep::master
