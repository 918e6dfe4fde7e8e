#include "lab/pools/pool_table.hpp"

#include <gtest/gtest.h>

#include <memory>

#include "lab/pools/pool_mode.hpp"

namespace fixkeep::client_sim {
namespace {

RunResult run_of(const std::string& lock, std::uint64_t seed, std::uint64_t needless) {
  RunResult run;
  run.lock = lock;
  run.seed = seed;
  run.players = 40;
  run.arrival = "poisson";
  run.verdict.seated = 38;
  run.verdict.rooms = 11;
  run.verdict.match_times = {100, 900};
  run.verdict.match_ms = percentiles(run.verdict.match_times);
  auto pool = std::make_shared<PoolRun>();
  pool->spreads = {10, 60};
  pool->bill.emplace();
  pool->bill->needless = needless;
  pool->bill->decisions = 9;
  pool->replay = {.seated = 39, .rooms = 12, .waits_ms = {80, 700}, .spreads = {8, 50}};
  run.own = std::move(pool);
  return run;
}

TEST(PoolTable, has_a_row_for_each_lock_with_what_its_seeds_span_and_one_of_the_replay) {
  const auto table =
      pools_table({run_of("none", 1, 4), run_of("none", 2, 6), run_of("multiphase", 1, 0)});
  const Table wanted{
      {"lock", "seeds", "too wide", "needless", "loose", "seated twice", "requests", "seated",
       "rooms", "refused", "decisions", "wait p50 ms", "wait p90 ms", "spread p50", "spread p90",
       "own late ms"},
      {"none", "2", "0", "4 / 4 / 6", "0", "0", "40", "38", "11", "0", "9", "100", "900", "10",
       "60", "0"},
      {"multiphase", "1", "0", "0", "0", "0", "40", "38", "11", "0", "9", "100", "900", "10", "60",
       "0"},
      {"replay", "2", "–", "–", "–", "–", "40", "39", "12", "–", "–", "80", "700", "8", "50", "–"}};
  EXPECT_EQ(table, wanted);
}

TEST(PoolTable, shows_the_teams_of_a_mode_that_has_teams) {
  RunResult run = run_of("multiphase", 1, 0);
  auto pool = std::make_shared<PoolRun>();
  pool->bill.emplace();
  pool->teams = TeamBill{.rooms = 11, .unequal = 2, .words = {}};
  run.own = std::move(pool);
  const auto table = pools_table({run});
  EXPECT_EQ(table[0][6], "unequal teams");
  EXPECT_EQ(table[1][6], "2");
  EXPECT_EQ(table[1][7], "11");
  EXPECT_EQ(run.faults(), std::vector<std::string>{"2 rooms with unequal teams"});
}

TEST(PoolTable, does_not_know_what_no_event_told) {
  RunResult run = run_of("none", 1, 4);
  run.own = std::make_shared<const PoolRun>();
  const auto table = pools_table({run});
  EXPECT_EQ(table[1][3], "–");
  EXPECT_EQ(table[1][5], "–");
}

TEST(PoolTable, blames_a_lock_for_rooms_that_need_not_have_been_and_none_for_no_lock) {
  EXPECT_TRUE(run_of("none", 1, 4).faults().empty());
  EXPECT_EQ(run_of("multiphase", 1, 4).faults(),
            std::vector<std::string>{"4 rooms that need not have been made"});
}

TEST(PoolTable, stands_in_the_json_of_its_run_with_what_the_page_draws) {
  const auto object = run_of("none", 1, 4).own->to_json();
  EXPECT_EQ(object.at("needless"), 4);
  EXPECT_EQ(object.at("spreads"), nlohmann::ordered_json({10, 60}));
  EXPECT_EQ(object.at("replay").at("waits_ms"), nlohmann::ordered_json({80, 700}));
  EXPECT_EQ(object.at("replay").at("rooms"), 12);
}

}  // namespace
}  // namespace fixkeep::client_sim
