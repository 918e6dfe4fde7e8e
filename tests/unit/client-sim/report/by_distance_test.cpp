#include "client-sim/report/by_distance.hpp"

#include <gtest/gtest.h>

#include "client-sim/report/html_report.hpp"

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
  run.verdict.match_times = {500, p99};
  run.verdict.match_ms = percentiles(run.verdict.match_times);
  return run;
}

const std::vector<RunResult> runs_at_two{run_at("none", 0, 1, 510),  run_at("x", 0, 1, 520),
                                         run_at("none", 80, 1, 700), run_at("x", 80, 1, 900),
                                         run_at("none", 0, 2, 512),  run_at("x", 0, 2, 522),
                                         run_at("none", 80, 2, 702), run_at("x", 80, 2, 902)};

TEST(ByDistance, puts_the_runs_of_all_seeds_together) {
  const auto groups = by_distance(runs_at_two);
  ASSERT_EQ(groups.size(), 2U);
  EXPECT_EQ(groups[0].name, "0 ms");
  EXPECT_EQ(groups[1].name, "80 ms");
  EXPECT_EQ(groups[1].link_ms, 80);
  ASSERT_EQ(groups[1].runs.size(), 4U);
  EXPECT_EQ(groups[1].runs[3].seed, 2U);
  EXPECT_TRUE(has_repeated_runs(groups));
  EXPECT_FALSE(has_repeated_runs(by_distance({runs_at_two[0], runs_at_two[2]})))
      << "one run at each distance is no repetition";
}

TEST(ByDistance, gives_tables_a_column_and_one_heading) {
  const auto table = table_by_distance(by_distance(runs_at_two), seeds_table);
  ASSERT_EQ(table.size(), 5U);
  EXPECT_EQ(table[0][1], "one way");
  EXPECT_EQ(table[1][0] + " " + table[1][1], "none 0 ms");
  EXPECT_EQ(table[4][0] + " " + table[4][1], "x 80 ms");
  for (const auto& row : table) EXPECT_EQ(row.size(), table[0].size());
}

TEST(ByDistance, leaves_the_tables_of_one_machine_as_they_are) {
  const std::vector<RunResult> here{runs_at_two[0], runs_at_two[1]};
  EXPECT_EQ(table_by_distance(by_distance(here), runs_table), runs_table(here));
}

TEST(ByDistance, stands_in_the_json_of_each_run) {
  auto runs = std::vector{runs_at_two[2], runs_at_two[2], runs_at_two[2]};
  runs[0].distances = Distances{.link_ms = 80, .worker_ms = 1, .jitter_ms = 5, .loss_percent = 2};
  runs[1].distances = Distances{.zones = {.text = "a-b:35", .names = {}, .one_way_ms = {{0}}}};
  runs[2].distances.reset();
  const auto json = nlohmann::json::parse(to_json(runs))["runs"];
  EXPECT_EQ(json[0]["link_delay_ms"], 80);
  EXPECT_EQ(json[0]["master_delay_ms"], 80);
  EXPECT_EQ(json[0]["worker_delay_ms"], 1);
  EXPECT_EQ(json[0]["jitter_ms"], 5);
  EXPECT_EQ(json[0]["loss_percent"], 2);
  EXPECT_TRUE(json[0]["zones"].is_null());
  EXPECT_TRUE(json[1]["link_delay_ms"].is_null());
  EXPECT_EQ(json[1]["zones"], "a-b:35");
  EXPECT_TRUE(json[2]["link_delay_ms"].is_null());
  EXPECT_TRUE(json[2]["jitter_ms"].is_null());
}

TEST(ByDistance, draws_medians_over_the_delay) {
  const auto plots = distance_plots(by_distance(runs_at_two), {"none", "x"});
  for (const auto* name : {"p50", "p99", "duplicates", "collisions"}) {
    const auto svg = plots[name].get<std::string>();
    EXPECT_NE(svg.find("class=\"line c0\""), std::string::npos) << name;
    EXPECT_NE(svg.find("class=\"line c1\""), std::string::npos) << name;
  }
  EXPECT_TRUE(distance_plots(by_distance({runs_at_two[0], runs_at_two[1]}), {"none"}).is_null());
}

TEST(ByDistance, divides_the_report) {
  const auto page = html_report(runs_at_two, {.command_line = "c", .machine = "m", .when = "w"});
  for (const auto* part : {"Over the distance", "0 ms one way", "80 ms one way", "0 ms, 80 ms"}) {
    EXPECT_NE(page.find(part), std::string::npos) << part;
  }
}

}  // namespace
}  // namespace fixkeep::client_sim
