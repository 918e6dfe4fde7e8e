#include "client-sim/report/stage_report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

namespace fixkeep::client_sim {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

// 100 ms for the lock, 500 ms to boot.
RunResult told_run(const std::string& lock, double one_way_ms, std::uint64_t matches = 10) {
  RunResult run;
  run.lock = lock;
  run.arrival = "burst";
  run.boot_ms = 500;
  run.distances = Distances{.link_ms = one_way_ms};
  auto told = std::make_shared<Told>();
  told->stages.matches = matches;
  told->stages.ms = {0, 0, 100, 0, 0, 500, 0};
  run.told = std::move(told);
  return run;
}

TEST(StageReport, needs_two_flights_without_a_lock_and_six_with_one) {
  EXPECT_EQ(needed_ms(told_run("none", 80)), 660);
  EXPECT_EQ(needed_ms(told_run("multiphase", 80)), 980);
}

TEST(StageReport, says_no_need_where_nodes_differ_or_players_come_and_go) {
  auto run = told_run("none", 80);
  run.arrival = "churn";
  EXPECT_EQ(needed_ms(run), std::nullopt);
  run = told_run("none", 80);
  run.distances->master_ms = 10;
  EXPECT_EQ(needed_ms(run), std::nullopt);
  run = told_run("none", 80);
  run.boot_ms = -1;
  EXPECT_EQ(needed_ms(run), std::nullopt);
}

TEST(StageReport, means_count_matches_and_not_runs) {
  const auto few = told_run("multiphase", 0, 10);
  auto many = told_run("multiphase", 0, 30);
  auto told = std::make_shared<Told>(*many.told);
  told->stages.ms = {0, 0, 300, 0, 0, 500, 0};
  many.told = told;
  const auto mean = mean_stages({&few, &many});
  ASSERT_TRUE(mean);
  EXPECT_EQ(mean->matches, 40U);
  EXPECT_DOUBLE_EQ(mean->of(Stage::lock), 250);
  RunResult silent;
  EXPECT_EQ(mean_stages({&silent}), std::nullopt);
}

TEST(StageReport, has_a_row_for_each_lock_that_told_something) {
  RunResult silent;
  silent.lock = "etcd";
  const auto table = stages_table({told_run("multiphase", 80), silent});
  ASSERT_EQ(table.size(), 2U);
  EXPECT_THAT(table.back(), ElementsAre("multiphase", "10", "0.00", "0.00", "100", "0.00", "0.00",
                                        "500", "0.00", "600", "980"));
}

TEST(StageReport, draws_a_bar_for_each_lock_or_for_each_delay_of_a_lock) {
  const auto near_by = by_setting({told_run("none", 0), told_run("multiphase", 0)});
  const auto pictures = pictures_of_stages(near_by);
  ASSERT_EQ(pictures.size(), 1U);
  ASSERT_EQ(pictures.front().cells.size(), 1U);
  EXPECT_THAT(pictures.front().cells.front().drawing.svg, HasSubstr(">multiphase<"));
  EXPECT_THAT(pictures.front().cells.front().drawing.svg, HasSubstr("part p2"));

  const auto apart = by_setting({told_run("none", 0), told_run("none", 80)});
  const auto both = pictures_of_stages(apart);
  ASSERT_EQ(both.front().cells.size(), 1U);
  EXPECT_EQ(both.front().cells.front().lock, "none");
  EXPECT_THAT(both.front().cells.front().drawing.svg, HasSubstr(">80 ms<"));
}

TEST(StageReport, draws_nothing_of_runs_that_told_nothing) {
  RunResult silent;
  silent.lock = "none";
  EXPECT_TRUE(pictures_of_stages(by_setting({silent})).empty());
  const auto one = pictures_of_stages(by_setting({told_run("none", 0), silent}));
  ASSERT_EQ(one.size(), 1U);
  EXPECT_THAT(one.front().cells.front().drawing.svg, Not(HasSubstr("nan")));
}

}  // namespace
}  // namespace fixkeep::client_sim
