// The load generator against servers that really listen: what it does, and that the judge finds
// each misdeed.
#include "client-sim/load/load.hpp"

#include <gtest/gtest.h>

#include "client-sim/cluster/readiness.hpp"
#include "client-sim/judge/judge.hpp"
#include "tests/unit/client-sim/load/fake_cluster.hpp"

namespace fixkeep::client_sim {
namespace {

using namespace std::chrono_literals;

LoadOptions quick(const FakeCluster& cluster) {
  LoadOptions options;
  options.masters = {cluster.endpoint()};
  options.sample_every = 20ms;
  options.rest = 400ms;
  options.wait = 2000ms;
  options.patience = 4000ms;
  return options;
}

Workload forty_players() {
  return make_workload({.players = 40, .groups = 2, .masters = 1});
}

Verdict run_and_judge(const Misdeeds& misdeeds) {
  const FakeCluster cluster{8, misdeeds};
  const auto result = run_load(forty_players(), quick(cluster));
  EXPECT_EQ(result.failure, "");
  return judge(result.seen);
}

TEST(Load, seats_everybody_and_finds_nothing_wrong) {
  const FakeCluster cluster{8, {}};
  auto options = quick(cluster);
  std::size_t last_connected = 0;
  options.on_progress = [&](const Progress& progress) { last_connected = progress.connected; };
  const auto result = run_load(forty_players(), options);
  EXPECT_EQ(result.strategy, "multiphase");
  EXPECT_EQ(result.workers, 1U);
  EXPECT_EQ(last_connected, 40U);
  const auto verdict = judge(result.seen);
  EXPECT_EQ(verdict.rooms, 6U);
  EXPECT_EQ(verdict.ideal_rooms, 6U);
  EXPECT_EQ(verdict.duplicate_rooms, 0U);
  EXPECT_EQ(verdict.connected, 40U);
  EXPECT_EQ(verdict.retries, 0U);
  EXPECT_TRUE(verdict.sound());
  EXPECT_GT(verdict.match_ms.p50, 0);
  EXPECT_GE(result.seen.samples.size(), 1U);
  EXPECT_LT(verdict.own_lateness_ms.p50, 10'000);
  EXPECT_EQ(result.seen.samples.back().rooms, 6U);
}

TEST(Load, works_without_preconnecting_and_with_keep_alive) {
  const FakeCluster cluster{8, {}};
  auto options = quick(cluster);
  options.preconnect = false;
  options.keep_alive = true;
  const auto verdict = judge(run_load(forty_players(), options).seen);
  EXPECT_EQ(verdict.connected, 40U);
  EXPECT_EQ(verdict.duplicate_rooms, 0U);
}

TEST(Load, keeps_connections_open_that_nobody_uses) {
  const FakeCluster cluster{8, {}};
  auto options = quick(cluster);
  options.idle_connections = 50;
  const auto seen = run_load(forty_players(), options).seen;
  EXPECT_EQ(seen.idle_connections, 50U);
  EXPECT_EQ(judge(seen).connected, 40U);
}

TEST(Load, counts_duplicates) {
  const auto verdict = run_and_judge({.fill_only = 4});
  EXPECT_EQ(verdict.rooms, 10U);
  EXPECT_EQ(verdict.duplicate_rooms, 4U);
}

TEST(Load, counts_overbooked_seats) {
  const auto verdict = run_and_judge({.squeeze_in = 2});
  EXPECT_EQ(verdict.overbooked_seats, 8U) << "20 players of each group in rooms of 10, 8 allowed";
}

TEST(Load, counts_leaked_seats) {
  EXPECT_EQ(run_and_judge({.forget_leaving = true}).leaked_seats, 40U);
}

TEST(Load, counts_players_that_rooms_turn_away) {
  const auto verdict = run_and_judge({.refuse_players = true});
  EXPECT_EQ(verdict.turned_away, 40U);
  EXPECT_EQ(verdict.connected, 0U);
  EXPECT_EQ(verdict.leaked_seats, 40U) << "the fake never takes a reservation back";
  EXPECT_EQ(verdict.reasons.at("room: REFUSED token_forged"), 40U);
}

TEST(Load, counts_a_valid_seat_that_its_room_does_not_keep) {
  const auto verdict = run_and_judge({.refuse_players = true, .refusal = "no_seat"});
  EXPECT_EQ(verdict.turned_away, 40U);
  EXPECT_FALSE(verdict.sound());
}

TEST(Load, counts_tokens_of_another_team) {
  const auto verdict = run_and_judge({.token_team = "2"});
  EXPECT_EQ(verdict.wrong_tokens, 40U);
  EXPECT_FALSE(verdict.sound());
  EXPECT_TRUE(run_and_judge({.token_team = "1"}).sound());
}

TEST(Load, counts_apart_what_was_answered_when_it_was_over) {
  const auto verdict =
      run_and_judge({.refuse_players = true, .refusal = "token_expired", .seats_live = -1h});
  EXPECT_EQ(verdict.answered_late, 40U);
  EXPECT_EQ(verdict.turned_away, 0U);
  EXPECT_EQ(verdict.errors, 40U);
  EXPECT_FALSE(verdict.sound());
}

TEST(Load, counts_answers_without_sense_as_lost) {
  const auto verdict = run_and_judge({.answer_nonsense = true});
  EXPECT_EQ(verdict.lost, 40U);
  EXPECT_EQ(verdict.seated, 0U);
}

TEST(Load, asks_again_when_a_master_is_busy) {
  const auto verdict = run_and_judge({.busy_answers = 15});
  EXPECT_EQ(verdict.connected, 40U);
  EXPECT_EQ(verdict.retries, 15U);
  EXPECT_EQ(verdict.duplicate_rooms, 0U);
}

TEST(Load, brings_a_party_into_its_room_and_out_again) {
  const FakeCluster cluster{8, {}};
  auto workload = make_workload({.players = 8, .groups = 1, .masters = 1});
  for (auto& player : workload) player.party = {player.id + "-2"};
  const auto seen = run_load(workload, quick(cluster)).seen;
  const auto verdict = judge(seen);
  EXPECT_EQ(verdict.connected, 8U);
  EXPECT_EQ(verdict.leaked_seats + verdict.uncounted_seats, 0U) << "all sixteen came, and left";
  ASSERT_EQ(seen.rooms.size(), 2U);
  EXPECT_EQ(seen.rooms[0].most_inside + seen.rooms[1].most_inside, 16U);
}

TEST(Load, asks_again_after_waiting_in_vain_unless_it_was_to_leave) {
  for (const bool leaves : {false, true}) {
    const FakeCluster cluster{8, {.busy_answers = 15, .busy_status = 504}};
    auto options = quick(cluster);
    options.leave_after_wait = leaves;
    const auto verdict = judge(run_load(forty_players(), options).seen);
    EXPECT_EQ(verdict.refused, leaves ? 15U : 0U);
    EXPECT_EQ(verdict.retries, leaves ? 0U : 15U);
  }
}

TEST(Load, asks_again_when_the_room_is_gone_and_gives_up_in_the_end) {
  const FakeCluster cluster{8, {.rooms_gone = true}};
  auto options = quick(cluster);
  options.attempts = 2;
  const auto verdict = judge(run_load(forty_players(), options).seen);
  EXPECT_EQ(verdict.unreachable, 40U);
  EXPECT_EQ(verdict.retries, 40U);
}

TEST(Load, asks_another_master_when_one_is_gone) {
  const FakeCluster cluster{8, {}};
  auto options = quick(cluster);
  Endpoint gone;
  {
    const FakeCluster other{8, {}};
    gone = other.endpoint();
  }
  options.masters = {gone, cluster.endpoint()};
  const auto workload = make_workload({.players = 40, .groups = 2, .masters = 2});
  const auto verdict = judge(run_load(workload, options).seen);
  EXPECT_EQ(verdict.connected, 40U);
  EXPECT_EQ(verdict.retries, 20U);
  EXPECT_EQ(verdict.masters_silent, 1U);
}

TEST(Load, is_not_over_before_its_last_incident) {
  const FakeCluster cluster{8, {}};
  auto options = quick(cluster);
  std::vector<std::string> happened;
  options.incidents = {{.at = 1ms, .happen = [&] { happened.emplace_back("stopped"); }},
                       {.at = 300ms, .happen = [&] { happened.emplace_back("goes on"); }}};
  const auto began = std::chrono::steady_clock::now();
  const auto verdict = judge(run_load(forty_players(), options).seen);
  EXPECT_GE(std::chrono::steady_clock::now() - began, 300ms);
  EXPECT_EQ(happened, (std::vector<std::string>{"stopped", "goes on"}));
  EXPECT_EQ(verdict.connected, 40U);
}

TEST(Load, lets_players_come_and_go) {
  const FakeCluster cluster{8, {}};
  auto options = quick(cluster);
  options.arrival = Arrival::churn;
  const auto workload = make_workload({.players = 60,
                                       .groups = 2,
                                       .masters = 1,
                                       .arrival = Arrival::churn,
                                       .rate = 200,
                                       .stay = 50ms});
  const auto result = run_load(workload, options);
  const auto verdict = judge(result.seen);
  EXPECT_EQ(verdict.connected, 60U);
  EXPECT_TRUE(verdict.sound());
  for (const auto& player : result.seen.players) EXPECT_LT(player.left_ms, never);
  EXPECT_FALSE(result.seen.samples.back().sightings.empty());
}

TEST(Load, says_when_there_is_no_cluster) {
  LoadOptions options;
  {
    const FakeCluster cluster{8, {}};
    options.masters = {cluster.endpoint()};
  }
  EXPECT_NE(run_load(forty_players(), options).failure, "");
}

TEST(Readiness, names_what_is_missing) {
  const FakeCluster cluster{8, {}};
  EXPECT_TRUE(wait_for_readiness({cluster.endpoint()}, {.workers = 1}, 5000ms).ready);
  const auto state = wait_for_readiness({cluster.endpoint()}, {.workers = 2}, 500ms);
  EXPECT_FALSE(state.ready);
  EXPECT_NE(state.what_is_missing.find("1 of 2 workers"), std::string::npos);
}

}  // namespace
}  // namespace fixkeep::client_sim
