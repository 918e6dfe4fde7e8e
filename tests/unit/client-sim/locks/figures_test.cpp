#include "client-sim/locks/figures.hpp"

#include <gtest/gtest.h>

#include <sstream>

#include "client-sim/locks/report.hpp"

namespace fixkeep::client_sim {
namespace {

LockFigures a_lock(const std::string& name) {
  LockFigures figures;
  figures.lock = name;
  for (const double speed : {1.0, 3.0, 2.0}) {
    UncontendedRound alone;
    alone.p50_us = 30 * speed;
    alone.p99_us = 60 * speed;
    alone.round_trip_us = 20 * speed;
    alone.round_trip_all_us = 25 * speed;
    alone.messages = 6;
    alone.bytes = 276;
    figures.uncontended.push_back(alone);
    ContendedRound contended;
    contended.per_second = 12'345 * speed;
    contended.longest_overtaking = static_cast<std::uint64_t>(10 * speed);
    contended.fairness = 1;
    figures.one_key.push_back(contended);
    figures.many_keys.push_back(contended);
  }
  figures.without_holder_ms = {1, 5, 2};
  return figures;
}

std::string row_of(const Table& table, const std::string& lock) {
  for (const auto& row : table) {
    if (row.front() != lock) continue;
    std::string text;
    for (const auto& each : row) text += each + "|";
    return text;
  }
  return "no such row";
}

std::vector<RunResult> a_burst(const std::string& lock, std::uint64_t duplicates) {
  RunResult run;
  run.lock = lock;
  run.seed = 7;
  run.players = run.verdict.seated = 8;
  run.verdict.ideal_rooms = 1;
  run.verdict.rooms = 1 + duplicates;
  run.verdict.duplicate_rooms = duplicates;
  run.verdict.match_times = {512};
  return {run};
}

TEST(LockFigures, are_medians_over_the_rounds_and_ratios_of_the_same_round) {
  const auto summary = summarise(a_lock("x"));
  EXPECT_EQ(summary.uncontended->p50_us, 60);
  EXPECT_EQ(summary.uncontended->round_trip_us, 40);
  EXPECT_DOUBLE_EQ(*summary.ratio, 1.5);
  EXPECT_DOUBLE_EQ(*summary.ratio_all, 1.2);
  EXPECT_EQ(summary.one_key->per_second, 2 * 12'345);
  EXPECT_EQ(summary.one_key->longest_overtaking, 30U) << "the worst, not the median";
  EXPECT_EQ(summary.without_holder_ms->median, 2);
  EXPECT_EQ(summary.without_holder_ms->max, 5);
}

TEST(LockFigures, without_rounds_show_that_they_are_missing) {
  LockFigures nothing;
  nothing.lock = "x";
  EXPECT_FALSE(summarise(nothing).ratio);
  EXPECT_NE(row_of(lock_cost_table({nothing}), "x").find("–"), std::string::npos);
  EXPECT_NE(row_of(lock_failure_table({nothing}, {}), "x").find("–"), std::string::npos);
}

TEST(LockFigures, blame_two_holders_and_tokens_that_fall_on_locks_that_promise_none) {
  auto figures = a_lock("redis");
  EXPECT_TRUE(faults_of(figures).empty());
  figures.many_keys[1].double_holders = 2;
  figures.one_key[0].tokens_fell = 1;
  figures.granted_before_kill = 1;
  EXPECT_EQ(faults_of(figures).size(), 3U);
  EXPECT_EQ(faults_of(figures)[0], "2 grants while another node held the key");
  figures.lock = "none";
  EXPECT_TRUE(faults_of(figures).empty());
}

TEST(LockTables, have_a_row_for_each_strategy) {
  const std::vector<LockFigures> all{a_lock("multiphase"), a_lock("redis")};
  EXPECT_EQ(row_of(lock_cost_table(all), "redis"), "redis|60.0|120|40.0|1.50|50.0|1.20|6.00|276|");
  EXPECT_NE(row_of(lock_contention_table(all), "redis").find("24 690"), std::string::npos);
  EXPECT_EQ(row_of(lock_failure_table(all, a_burst("redis", 2)), "redis"),
            "redis|0|2|3/1|2.00|5.00|512|");
}

TEST(LockTables, say_never_if_nobody_was_granted_the_lock_of_a_dead_one) {
  auto figures = a_lock("maekawa");
  figures.never_granted = 1;
  EXPECT_NE(row_of(lock_failure_table({figures}, {}), "maekawa").find("never"), std::string::npos);
}

TEST(LockTables, sort_what_is_wrong_last_and_what_never_ended_behind_what_did) {
  auto dead = a_lock("maekawa");
  dead.without_holder_ms.clear();
  dead.never_granted = 3;
  auto slow = a_lock("coordinator");
  slow.without_holder_ms = {7400};
  auto shared = a_lock("none");
  shared.one_key.front().double_holders = 1;
  auto unknown = a_lock("redis");
  unknown.without_holder_ms.clear();
  const auto table = lock_failure_table({shared, unknown, dead, slow, a_lock("multiphase")}, {});
  std::vector<std::string> order;
  for (const auto& row : table) order.push_back(row.front());
  EXPECT_EQ(order, (std::vector<std::string>{"lock", "multiphase", "coordinator", "maekawa",
                                             "redis", "none"}));
  EXPECT_EQ(row_of(table, "maekawa"), "maekawa|0|–|–|never|never|–|")
      << "the median of what never ended is no number either";
}

TEST(LockPictures, draw_what_never_ended_as_the_longest_bar) {
  auto dead = a_lock("maekawa");
  dead.without_holder_ms.clear();
  dead.never_granted = 1;
  const auto pictures = locks_pictures({a_lock("multiphase"), dead}, {});
  ASSERT_EQ(pictures.front().name, "holder-killed") << "what must not happen stands first";
  const auto& svg = pictures.front().cells.front().drawing.svg;
  EXPECT_NE(svg.find("bar c4 s0 never"), std::string::npos);
  EXPECT_NE(svg.find("bar c1 s0\""), std::string::npos);
}

TEST(LockJson, holds_locks_and_runs) {
  const auto text = to_json({a_lock("a"), a_lock("b")}, a_burst("a", 0));
  const auto parsed = nlohmann::json::parse(text);
  ASSERT_EQ(parsed["locks"].size(), 2U);
  EXPECT_EQ(parsed["locks"][0]["uncontended"]["ratio_p50"], 1.5);
  EXPECT_EQ(parsed["locks"][0]["uncontended"]["rounds"].size(), 3U);
  EXPECT_EQ(parsed["locks"][1]["one_key"]["median"]["longest_overtaking"], 30);
  EXPECT_EQ(parsed["runs"][0]["seed"], 7);
  EXPECT_NE(text.find("\n{\"lock\":\"b\""), std::string::npos) << "a strategy a line, for scripts";
}

TEST(LocksReport, shows_plots_tables_and_faults) {
  auto guilty = a_lock("<b>");
  guilty.one_key[0].double_holders = 3;
  const auto page =
      locks_report({a_lock("multiphase"), guilty}, a_burst("multiphase", 4), Options{},
                   {.command_line = "locks --x", .machine = "m", .when = "w"});
  EXPECT_EQ(page.find("<b>"), std::string::npos);
  for (const auto* part : {"one round trip: 40.0 µs", "3 grants while another node held the key",
                           "multiphase, seed 7: 4 duplicate rooms", "locks --x", "</html>"}) {
    EXPECT_NE(page.find(part), std::string::npos) << part;
  }
  std::size_t plots = 0;
  for (auto at = page.find("role=\"img\""); at != std::string::npos;
       at = page.find("role=\"img\"", at + 1)) {
    ++plots;
  }
  EXPECT_EQ(plots, 6U);
}

Options parsed(std::vector<const char*> arguments) {
  arguments.insert(arguments.begin(), {"fixkeep-client-sim", "locks"});
  std::ostringstream out;
  std::ostringstream err;
  const auto result = parse_options(static_cast<int>(arguments.size()), arguments.data(), out, err);
  if (const auto* options = std::get_if<Options>(&result)) return *options;
  ADD_FAILURE() << err.str();
  return {};
}

TEST(LocksOptions, measure_all_locks_unless_told_otherwise) {
  const auto usual = parsed({});
  EXPECT_EQ(usual.command, Command::locks);
  EXPECT_EQ(usual.locks, known_locks());
  EXPECT_EQ(usual.cluster.masters, 3U);
  EXPECT_TRUE(usual.bench.burst);
  EXPECT_FALSE(parsed({"--no-burst"}).bench.burst);
}

TEST(LocksOptions, quick_leaves_what_was_given) {
  const auto quick = parsed({"--quick", "--seconds", "3", "--locks", "none"});
  EXPECT_EQ(quick.bench.measured.seconds, 3);
  EXPECT_EQ(quick.bench.rounds, 1U);
  EXPECT_LT(quick.workload.players, 256U);
}

}  // namespace
}  // namespace fixkeep::client_sim
