#include "client-sim/report/results.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "client-sim/progress_bar.hpp"
#include "client-sim/report/html_report.hpp"
#include "client-sim/report/run_tables.hpp"
#include "client-sim/report/svg_plot.hpp"

namespace fixkeep::client_sim {
namespace {

RunResult a_run(const std::string& lock, std::uint64_t seed, std::uint64_t duplicates) {
  RunResult run;
  run.lock = lock;
  run.masters = 3;
  run.workers = 6;
  run.players = 16;
  run.groups = 1;
  run.capacity = 8;
  run.boot_ms = 500;
  run.arrival = "burst";
  run.seed = seed;
  run.verdict.ideal_rooms = 2;
  run.verdict.rooms = 2 + duplicates;
  run.verdict.duplicate_rooms = duplicates;
  run.verdict.seated = run.verdict.connected = 16;
  run.verdict.match_times = {510, 520, 530};
  run.verdict.match_ms = percentiles(run.verdict.match_times);
  run.verdict.fills = {{.group_key = "duel/<g0>", .inside = 8, .capacity = 8},
                       {.group_key = "duel/<g0>", .inside = 8, .capacity = 8}};
  run.curve = {{.x = 0, .y = 0}, {.x = 100, .y = 2}};
  run.load_ms = 600;
  run.lock_stats = {{"acquisitions", 3}};
  return run;
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

TEST(Json, holds_every_agreed_key) {
  const auto parsed = nlohmann::json::parse(to_json({a_run("none", 1, 5), a_run("x", 2, 0)}));
  ASSERT_EQ(parsed["runs"].size(), 2U);
  const auto& run = parsed["runs"][0];
  for (const auto* key : {"lock",      "masters",     "workers",          "players",
                          "groups",    "capacity",    "arrival",          "seed",
                          "rooms",     "ideal_rooms", "duplicate_rooms",  "seated",
                          "connected", "errors",      "overbooked_seats", "leaked_seats",
                          "match_ms",  "lock_stats",  "turned_away",      "own_lateness_ms",
                          "faults",    "warnings"}) {
    EXPECT_TRUE(run.contains(key)) << key;
  }
  EXPECT_EQ(run["rooms"], 7);
  EXPECT_EQ(run["match_ms"]["p50"], 520);
  EXPECT_EQ(run["lock_stats"]["acquisitions"], 3);
}

RunResult with_bill(RunResult run, std::size_t collisions, double wasted_room_seconds) {
  run.bill = CollisionBill{.collisions = std::vector<Collision>(collisions),
                           .orders = 9,
                           .wasted_room_seconds = wasted_room_seconds,
                           .wasted_seat_seconds = 8 * wasted_room_seconds};
  return run;
}

TEST(Json, has_the_bill_of_the_collisions_or_null_if_events_are_missing) {
  const auto parsed = nlohmann::json::parse(
      to_json({with_bill(a_run("none", 1, 5), 4, 1.25), a_run("none", 2, 5)}));
  const auto& billed = parsed["runs"][0];
  EXPECT_EQ(billed["collisions"], 4);
  EXPECT_EQ(billed["orders"], 9);
  EXPECT_EQ(billed["wasted_room_seconds"], 1.25);
  EXPECT_EQ(billed["wasted_seat_seconds"], 10);
  for (const auto* key : {"collisions", "orders", "wasted_room_seconds", "wasted_seat_seconds"}) {
    EXPECT_TRUE(parsed["runs"][1].at(key).is_null()) << key;
  }
}

TEST(Faults, blame_seats_that_were_not_kept_whatever_the_lock) {
  auto run = a_run("none", 1, 0);
  run.verdict.turned_away = 2;
  run.verdict.answered_late = 1;
  run.verdict.came_late = 3;
  EXPECT_EQ(run.faults(),
            (std::vector<std::string>{"2 players with a valid seat that were turned away",
                                      "1 seat that was answered when its time was over"}));
  EXPECT_EQ(run.warnings(),
            std::vector<std::string>{
                "3 players were too late for the seat by client-sim's own lateness"});
  const auto told = nlohmann::json::parse(to_json({run}))["runs"][0];
  EXPECT_EQ(told["turned_away"], 2);
  EXPECT_EQ(told["answered_late"], 1);
  EXPECT_EQ(told["came_late"], 3);
  EXPECT_EQ(told["faults"].size(), 2U);
  EXPECT_NE(html_report({run}, {}).find("2 players with a valid seat"), std::string::npos);
}

TEST(Warnings, say_when_a_part_of_the_times_is_our_own) {
  auto run = a_run("multiphase", 1, 0);
  run.verdict.match_ms.p99 = 530;
  run.verdict.own_lateness_ms = {.p50 = 1, .p90 = 20, .p99 = 53, .max = 80};
  EXPECT_TRUE(run.warnings().empty());
  run.verdict.own_lateness_ms.p99 = 106;
  ASSERT_EQ(run.warnings().size(), 1U);
  EXPECT_NE(run.warnings().front().find("106 ms (p99), 20 %"), std::string::npos);
  EXPECT_TRUE(run.faults().empty()) << "a warning is none";
}

TEST(Faults, blame_collisions_only_on_locks_that_promise_none) {
  EXPECT_TRUE(with_bill(a_run("none", 1, 0), 2, 1).faults().empty());
  EXPECT_EQ(with_bill(a_run("redis", 1, 0), 2, 1).faults(),
            std::vector<std::string>{"2 orders that collided"});
  EXPECT_EQ(with_bill(a_run("redis", 1, 0), 1, 1).faults(),
            std::vector<std::string>{"1 order that collided"});
}

// What stands in a row under this heading.
std::string cell(const Table& table, std::size_t row, const std::string& heading) {
  for (std::size_t column = 0; column < table[0].size(); ++column) {
    if (table[0][column] == heading) return table[row][column];
  }
  return "no such column";
}

std::size_t place(const Table& table, const std::string& heading) {
  const auto found = std::find(table[0].begin(), table[0].end(), heading);
  EXPECT_NE(found, table[0].end()) << heading;
  return static_cast<std::size_t>(found - table[0].begin());
}

TEST(Tables, show_what_is_right_before_what_is_fast) {
  for (const auto& table :
       {runs_table({a_run("none", 1, 5)}), seeds_table({a_run("none", 1, 5)})}) {
    for (const auto* right : {"duplicates", "collisions", "overbooked", "leaked", "turned away",
                              "errors", "dropped", "connected"}) {
      EXPECT_LT(place(table, right), place(table, "p50 ms")) << right;
    }
  }
  auto run = a_run("none", 1, 5);
  run.verdict.dropped = 3;
  EXPECT_EQ(cell(runs_table({run}), 1, "dropped"), "3");
  EXPECT_EQ(cell(seeds_table({run}), 1, "dropped"), "3");
}

TEST(Tables, take_players_without_a_seat_for_the_slowest) {
  auto starved = a_run("maekawa", 1, 0);
  starved.verdict.seated = 4;
  starved.verdict.match_times = {1, 2, 3, 4};
  starved.verdict.match_ms = percentiles(starved.verdict.match_times);
  const auto table = runs_table({starved, a_run("none", 1, 0)});
  EXPECT_EQ(cell(table, 1, "p50 ms"), "never") << "12 of 16 got no seat, the others were fast";
  EXPECT_EQ(cell(table, 1, "p99 ms"), "never");
  const auto seeds = seeds_table({a_run("maekawa", 2, 0), starved, starved});
  EXPECT_EQ(cell(seeds, 1, "p99 ms"), "530 / never / never");
  EXPECT_EQ(match_ms_of_all(starved).p50, never);
  const auto page = html_report({starved, a_run("none", 1, 0)}, {});
  EXPECT_NE(page.find("12 players got no seat"), std::string::npos);
  EXPECT_NE(page.find("time to match p99 never"), std::string::npos);
  const auto told = nlohmann::json::parse(to_json({starved}))["runs"][0];
  EXPECT_EQ(told["match_ms"]["p50"], 2) << "of those that got a seat";
}

TEST(Tables, have_rates_of_a_churn_only) {
  auto churn = with_bill(a_run("none", 1, 2), 4, 1);
  churn.arrival = "churn";
  churn.load_ms = 1'800'000;
  churn.verdict.seated = 500;
  const auto rates = rates_table({churn, a_run("redis", 1, 0)});
  ASSERT_EQ(rates.size(), 2U);
  EXPECT_EQ(cell(rates, 1, "collisions/h"), "8.00");
  EXPECT_EQ(cell(rates, 1, "duplicates/h"), "4.00");
  EXPECT_EQ(cell(rates, 1, "collisions/1000 matches"), "8.00");
  EXPECT_EQ(cell(rates, 1, "duplicates/1000 matches"), "4.00");
  const auto told = nlohmann::json::parse(to_json({churn, a_run("none", 1, 0)}))["runs"];
  EXPECT_EQ(told[0]["collisions_per_hour"], 8);
  EXPECT_EQ(told[0]["duplicates_per_hour"], 4);
  EXPECT_EQ(told[0]["collisions_per_1000_matches"], 8);
  EXPECT_EQ(told[0]["duplicates_per_1000_matches"], 4);
  EXPECT_TRUE(told[1]["collisions_per_hour"].is_null());
}

TEST(Tables, can_be_taken_apart_at_two_spaces) {
  for (const auto& row : runs_table({with_bill(a_run("none", 1, 5), 4, 1)})) {
    for (const auto& each : row) EXPECT_EQ(each.find("  "), std::string::npos) << each;
  }
}

TEST(Tables, spread_the_bills_of_the_runs_that_have_one) {
  const auto seeds =
      seeds_table({with_bill(a_run("none", 1, 5), 4, 1), with_bill(a_run("none", 2, 5), 6, 2),
                   a_run("none", 3, 5), a_run("redis", 1, 0)});
  EXPECT_EQ(cell(seeds, 1, "collisions"), "4 / 4 / 6");
  EXPECT_EQ(cell(seeds, 1, "wasted room-s"), "1.0 / 1.0 / 2.0");
  EXPECT_EQ(cell(seeds, 2, "collisions"), "?");
}

TEST(Faults, blame_duplicates_only_on_locks_that_promise_none) {
  EXPECT_TRUE(a_run("none", 1, 5).faults().empty());
  EXPECT_EQ(a_run("multiphase", 1, 5).faults(), std::vector<std::string>{"5 duplicate rooms"});
  auto run = a_run("none", 1, 5);
  run.verdict.overbooked_seats = 1;
  run.verdict.lost = 2;
  EXPECT_EQ(run.faults().size(), 2U);
}

TEST(Tables, spread_over_the_seeds) {
  const std::vector<RunResult> runs{a_run("none", 1, 5), a_run("multiphase", 1, 0),
                                    a_run("none", 2, 9), a_run("multiphase", 2, 0),
                                    a_run("none", 3, 7), a_run("multiphase", 3, 0)};
  const auto seeds = seeds_table(runs);
  ASSERT_EQ(seeds.size(), 3U);
  EXPECT_EQ(seeds[1][0], "none");
  EXPECT_EQ(seeds[1][2], "0/3");
  EXPECT_EQ(cell(seeds, 1, "duplicates"), "5 / 7 / 9");
  EXPECT_EQ(seeds[2][2], "3/3");
  EXPECT_EQ(runs_table(runs).size(), 7U);
  EXPECT_EQ(runs_table(runs)[0].size(), runs_table(runs)[1].size());
}

TEST(Tables, are_aligned_by_characters) {
  EXPECT_EQ(to_text({{"a", "größe"}, {"long", "1"}}), "a     größe\n----  -----\nlong      1\n");
}

TEST(Ticks, are_round) {
  EXPECT_EQ(nice_ticks(10, 5), (std::vector<double>{0, 2, 4, 6, 8, 10}));
  EXPECT_EQ(nice_ticks(0, 5), std::vector<double>{0});
  const auto small = nice_ticks(0.7, 4);
  ASSERT_EQ(small.size(), 4U);
  EXPECT_NEAR(small[1], 0.2, 1e-12);
}

TEST(Plots, stay_inside_their_frame_and_escape) {
  const auto svg = line_plot({.description = "a<b", .x_label = "x&y", .x_max = 1, .y_max = 1},
                             {{.points = {{.x = 0, .y = 0}, {.x = 5, .y = 5}}}}, {})
                       .svg;
  EXPECT_NE(svg.find("<title>a&lt;b</title>"), std::string::npos);
  EXPECT_NE(svg.find("x&amp;y"), std::string::npos);
  EXPECT_NE(svg.find("L624 24"), std::string::npos) << "clamped to the upper right corner";
}

TEST(Report, is_one_safe_page_with_all_plots) {
  auto run = a_run("<script>alert(1)</script>", 1, 5);
  const auto page =
      html_report({run, a_run("multiphase", 1, 0)},
                  {.command_line = "compare --x \"<&>\"", .machine = "m", .when = "w"});
  EXPECT_EQ(count(page, "<script"), 0U);
  EXPECT_EQ(count(page, "http://"), 0U);
  EXPECT_EQ(count(page, "https://"), 0U);
  EXPECT_NE(page.find("compare --x &quot;&lt;&amp;&gt;&quot;"), std::string::npos);
  EXPECT_EQ(count(page, "role=\"img\""), 5U)
      << "rooms made, over time, time to match, and a fill plot for each strategy";
  EXPECT_NE(page.find("needed: 2"), std::string::npos);
  EXPECT_NE(page.find("duel/&lt;g0&gt;: 8 of 8"), std::string::npos);
}

TEST(Report, of_nothing_is_still_a_page) {
  EXPECT_NE(html_report({}, {}).find("No run was finished"), std::string::npos);
}

TEST(ProgressLine, shows_share_and_counts) {
  const auto line = progress_line({.players = 256,
                                   .asked = 200,
                                   .decided = 128,
                                   .connected = 120,
                                   .rooms = 16,
                                   .elapsed_ms = 1500});
  EXPECT_EQ(line,
            "[############------------] 120/256 connected, 72 waiting, 8 failed, 16 rooms, 1.5 s");
}

}  // namespace
}  // namespace fixkeep::client_sim
