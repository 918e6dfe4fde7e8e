#include "client-sim/report/by_setting.hpp"

#include <gtest/gtest.h>

#include "client-sim/report/html_report.hpp"
#include "client-sim/report/run_tables.hpp"

namespace fixkeep::client_sim {
namespace {

RunResult run_at(const std::string& lock, double link_ms, std::uint64_t seed, double p99) {
  RunResult run;
  run.lock = lock;
  run.players = 16;
  run.capacity = 8;
  run.seed = seed;
  run.arrival = "burst";
  run.distances = Distances{.link_ms = link_ms};
  run.verdict.rooms = run.verdict.ideal_rooms = 2;
  run.verdict.seated = 16;
  run.verdict.match_times = {500, p99};
  run.verdict.match_ms = percentiles(run.verdict.match_times);
  return run;
}

const std::vector<RunResult> runs_at_two{run_at("none", 0, 1, 510),  run_at("x", 0, 1, 520),
                                         run_at("none", 80, 1, 700), run_at("x", 80, 1, 900),
                                         run_at("none", 0, 2, 512),  run_at("x", 0, 2, 522),
                                         run_at("none", 80, 2, 702), run_at("x", 80, 2, 902)};

TEST(BySetting, puts_the_runs_of_all_seeds_together) {
  const auto groups = by_setting(runs_at_two);
  ASSERT_EQ(groups.size(), 2U);
  EXPECT_EQ(groups[0].one_way, "0 ms");
  EXPECT_EQ(groups[1].one_way, "80 ms");
  ASSERT_EQ(groups[1].runs.size(), 4U);
  EXPECT_EQ(groups[1].runs[3].seed, 2U);
  EXPECT_TRUE(has_repeated_runs(groups));
  EXPECT_FALSE(has_repeated_runs(by_setting({runs_at_two[0], runs_at_two[2]})))
      << "one run at each distance is no repetition";
}

TEST(BySetting, gives_tables_a_column_and_one_heading) {
  const auto table = table_by_setting(by_setting(runs_at_two), seeds_table);
  ASSERT_EQ(table.size(), 5U);
  EXPECT_EQ(table[0][1], "one way");
  EXPECT_EQ(table[1][0] + " " + table[1][1], "none 0 ms");
  EXPECT_EQ(table[4][0] + " " + table[4][1], "x 80 ms");
  for (const auto& row : table) EXPECT_EQ(row.size(), table[0].size());
}

TEST(BySetting, leaves_the_tables_of_one_machine_as_they_are) {
  const std::vector<RunResult> here{runs_at_two[0], runs_at_two[1]};
  EXPECT_EQ(table_by_setting(by_setting(here), runs_table), runs_table(here));
}

TEST(BySetting, stands_in_the_json_of_each_run) {
  auto runs = std::vector{runs_at_two[2], runs_at_two[2], runs_at_two[2]};
  runs[0].distances = Distances{.link_ms = 80, .worker_ms = 1, .jitter_ms = 5, .loss_percent = 2};
  runs[1].distances = Distances{.zones = {.text = "a-b:35", .names = {}, .one_way_ms = {{0}}}};
  runs[2].distances.reset();
  const auto told = nlohmann::json::parse(to_json(runs))["runs"];
  EXPECT_EQ(told[0]["link_delay_ms"], 80);
  EXPECT_EQ(told[0]["master_delay_ms"], 80);
  EXPECT_EQ(told[0]["worker_delay_ms"], 1);
  EXPECT_EQ(told[0]["jitter_ms"], 5);
  EXPECT_EQ(told[0]["loss_percent"], 2);
  EXPECT_TRUE(told[0]["zones"].is_null());
  EXPECT_TRUE(told[1]["link_delay_ms"].is_null());
  EXPECT_EQ(told[1]["zones"], "a-b:35");
  EXPECT_TRUE(told[2]["link_delay_ms"].is_null());
  EXPECT_TRUE(told[2]["jitter_ms"].is_null());
}

TEST(BySetting, draws_what_the_seeds_span_at_each_delay) {
  const auto pictures = pictures_over_distance(by_setting(runs_at_two));
  ASSERT_EQ(pictures.size(), 1U);
  EXPECT_EQ(pictures[0].cells.size(), 5U)
      << "collisions, duplicates, wasted room-seconds, p50 and p99";
  for (const auto& cell : pictures[0].cells) {
    EXPECT_NE(cell.drawing.svg.find(">80 ms<"), std::string::npos);
  }
  const auto& p99 = pictures[0].cells.back().drawing.svg;
  EXPECT_NE(p99.find("marker c0"), std::string::npos);
  EXPECT_NE(p99.find("whisker c0"), std::string::npos);
  EXPECT_EQ(pictures[0].cells.front().drawing.svg.find("marker"), std::string::npos)
      << "the events are missing, so that collisions are not known";
  EXPECT_TRUE(pictures_over_distance(by_setting({runs_at_two[0], runs_at_two[1]})).empty());
}

TEST(BySetting, tells_arrivals_apart) {
  auto runs = runs_at_two;
  for (std::size_t index = 0; index < 4; ++index) runs[index].arrival = "churn";
  const auto groups = by_setting(runs);
  ASSERT_EQ(groups.size(), 4U);
  EXPECT_EQ(title_of(groups[0], groups), "churn, 0 ms one way");
  EXPECT_EQ(title_of(groups[3], groups), "burst, 80 ms one way");
  const auto table = table_by_setting(groups, seeds_table);
  EXPECT_EQ(table[0][1] + ", " + table[0][2], "arrival, one way");
  EXPECT_EQ(table[1][1] + ", " + table[1][2], "churn, 0 ms");
  EXPECT_EQ(pictures_over_distance(groups).size(), 2U) << "one for each arrival";
}

TEST(BySetting, divides_the_report) {
  const auto page = html_report(runs_at_two, {.command_line = "c", .machine = "m", .when = "w"});
  for (const auto* part : {"Over the distance", "0 ms one way", "80 ms one way", "0 ms, 80 ms"}) {
    EXPECT_NE(page.find(part), std::string::npos) << part;
  }
}

}  // namespace
}  // namespace fixkeep::client_sim
