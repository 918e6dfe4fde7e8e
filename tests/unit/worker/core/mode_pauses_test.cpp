// Which modes a RoomHost takes orders of, and what the masters are told of it.
#include <gtest/gtest.h>

#include "common/wire/limits.hpp"
#include "tests/unit/worker/core/host_driver.hpp"

namespace fixkeep::worker {
namespace {

using wire::PauseCause;
using wire::PausedMode;
using wire::SpawnOutcome;

const ModeName paused_duel{"duel"};

// What each master was told of the modes in these actions; the last word counts.
std::map<MasterId, wire::WorkerModes> modes_told(const Actions& out) {
  std::map<MasterId, wire::WorkerModes> told;
  for (const auto& sent : all<SendToMaster>(out)) {
    const auto* const news = std::get_if<wire::RoomsChanged>(&sent.message);
    if (news != nullptr && news->modes) told[sent.master] = *news->modes;
  }
  return told;
}

struct ModePausesTest : testing::Test {
  static RoomHostOptions options() {
    RoomHostOptions made = small_options();
    made.boot_backoff = {};
    return made;
  }
  ModePausesTest() {
    driver.step(MasterConnected{m1});
    driver.step(MasterConnected{m2});
    driver.batch();
  }
  SpawnOutcome order(const std::string& mode = "duel") {
    const GroupKey& group = mode == "duel" ? duel : brawl;
    return driver.spawn(m1, ++driver.token, 4, {}, group, mode).outcome;
  }
  Actions fail_boot(const std::string& how = "exit code 1: cannot bind") {
    const auto reply = driver.spawn(m1, ++driver.token);
    EXPECT_EQ(reply.outcome, SpawnOutcome::accepted);
    return driver.step(ProcessExited{reply.room.number, how});
  }
  Driver driver{options()};
};

TEST_F(ModePausesTest, a_failed_boot_pauses_its_mode_and_every_master_is_told_why) {
  const auto logged = all<LogPause>(fail_boot());
  ASSERT_EQ(logged.size(), 1U);
  EXPECT_EQ(logged[0].mode, paused_duel);
  EXPECT_EQ(logged[0].length, seconds{1});
  const auto told = modes_told(driver.batch());
  ASSERT_EQ(told.size(), 2U);
  const wire::WorkerModes wanted{{ModeName{"duel"}, ModeName{"brawl"}},
                                 {PausedMode{paused_duel, PauseCause::failing, milliseconds{1000},
                                             "exit code 1: cannot bind"}}};
  EXPECT_EQ(told.at(m1), wanted);
  EXPECT_EQ(told.at(m2), wanted);
  EXPECT_TRUE(modes_told(driver.batch()).empty()) << "told once";
}

TEST_F(ModePausesTest, no_order_of_a_paused_mode_is_taken_and_of_others_they_are) {
  fail_boot();
  EXPECT_EQ(order(), SpawnOutcome::mode_paused);
  EXPECT_EQ(driver.host.counters().spawns_refused_paused, 1U);
  EXPECT_EQ(order("brawl"), SpawnOutcome::accepted);
  driver.pass(seconds{1});
  EXPECT_EQ(order(), SpawnOutcome::accepted);
}

TEST_F(ModePausesTest, the_end_of_a_pause_is_told_when_it_comes) {
  fail_boot();
  driver.batch();
  EXPECT_LE(driver.host.next_tick(), driver.now + seconds{1});
  driver.pass(seconds{1});
  const auto told = modes_told(driver.batch());
  ASSERT_EQ(told.size(), 2U);
  EXPECT_TRUE(told.at(m1).paused.empty());
}

TEST_F(ModePausesTest, each_way_to_fail_has_its_reason_and_a_boot_ends_the_pause) {
  const auto reason = [&] {
    const auto paused = driver.host.paused_modes();
    return paused.empty() ? "" : paused[0].reason;
  };
  fail_boot("");
  EXPECT_EQ(reason(), "not said");
  driver.pass(seconds{1});
  auto room = driver.spawn(m1, ++driver.token).room.number;
  driver.step(ShutdownAsked{room});
  EXPECT_EQ(reason(), "it asked to end before it was ready");
  driver.pass(seconds{2});
  room = driver.spawn(m1, ++driver.token, 4, {1}).room.number;
  driver.why_not_ready = "an answer " + std::string(1000, '.');
  driver.pass(seconds{30});
  EXPECT_TRUE(reason().starts_with("boot-timeout: an answer ..."));
  EXPECT_EQ(reason().size(), wire::limits::reason_bytes);
  driver.pass(seconds{4});
  room = driver.spawn(m1, ++driver.token, 4, {1}).room.number;
  driver.step(GameHealthy{room});
  driver.pass(seconds{15});
  EXPECT_EQ(reason(), "no sign of life before it was ready");
  driver.pass(seconds{8});
  EXPECT_EQ(reason(), "");
}

TEST_F(ModePausesTest, a_room_that_opens_ends_the_pause_of_its_mode) {
  const auto first = driver.spawn(m1, ++driver.token).room.number;
  const auto second = driver.spawn(m1, ++driver.token).room.number;
  driver.step(ProcessExited{first, "exit code 1"});
  EXPECT_EQ(order(), SpawnOutcome::mode_paused);
  driver.step(ProcessReady{second});
  EXPECT_EQ(order(), SpawnOutcome::accepted);
}

TEST_F(ModePausesTest, what_ends_a_room_that_is_no_failed_boot_pauses_nothing) {
  const auto lasting = driver.open_room();
  const auto entered = driver.open_room(4, {1});
  EXPECT_TRUE(driver.admits(entered, 1));
  driver.step(ProcessExited{entered, "signal SIGSEGV"});
  EXPECT_TRUE(driver.host.paused_modes().empty()) << "the player may have made it";
  driver.pass(seconds{5});
  driver.step(ProcessExited{lasting, "signal SIGSEGV"});
  EXPECT_TRUE(driver.host.paused_modes().empty());
  const auto unwanted = driver.spawn(m1, ++driver.token).room.number;
  driver.step(DrainAsked{unwanted, seconds{1}});
  driver.step(ProcessExited{unwanted, "exit code 0"});
  EXPECT_TRUE(driver.host.paused_modes().empty());
}

TEST_F(ModePausesTest, a_room_that_crashes_before_anybody_comes_is_as_good_as_a_failed_boot) {
  for (const int wanted : {1, 2, 4}) {
    const auto room = driver.open_room();
    driver.pass(seconds{4});
    const auto logged = all<LogPause>(driver.step(ProcessExited{room, "exit code 1"}));
    ASSERT_EQ(logged.size(), 1U);
    EXPECT_EQ(logged[0].length, seconds{wanted});
    EXPECT_EQ(logged[0].why, "right after it was ready: exit code 1");
    EXPECT_EQ(order(), SpawnOutcome::mode_paused);
    driver.pass(seconds{wanted});
  }
  EXPECT_EQ(driver.host.counters().boots_failed, 0U) << "it did open";
}

TEST_F(ModePausesTest, a_map_that_is_not_there_keeps_nobody_from_the_other_maps_of_its_mode) {
  (void)driver.open_room(4, {1});  // of duel
  driver.pass(seconds{5});
  for (int second = 0; second < 60; ++second) {
    const auto bad = driver.spawn(m1, ++driver.token, 4, {}, GroupKey{"duel|no such map"});
    if (bad.outcome == SpawnOutcome::accepted) {
      driver.step(ProcessExited{bad.room.number, "exit code 1"});
    } else {
      EXPECT_EQ(bad.outcome, SpawnOutcome::mode_paused);
    }
    driver.batch();
    EXPECT_TRUE(driver.host.paused_modes().empty());
    if (second % 10 == 0) {
      const auto good = driver.spawn(m1, ++driver.token, 4, {2});
      ASSERT_EQ(good.outcome, SpawnOutcome::accepted);
      driver.step(ProcessReady{good.room.number});
      driver.step(ShutdownAsked{good.room.number});
      driver.step(ProcessExited{good.room.number, "exit code 0"});
    }
    driver.pass(seconds{1});
  }
  EXPECT_LE(driver.host.counters().boots_failed, 6U) << "each time twice as long";
}

TEST_F(ModePausesTest, the_end_of_a_groups_pause_is_told) {
  (void)driver.open_room(4, {1});
  driver.pass(seconds{5});
  const auto bad = driver.spawn(m1, ++driver.token, 4, {}, brawl).room.number;
  driver.step(ProcessExited{bad, "exit code 1"});
  EXPECT_TRUE(driver.host.pauses(brawl));
  driver.batch();
  driver.pass(seconds{1});
  EXPECT_EQ(modes_told(driver.batch()).size(), 2U);
}

TEST_F(ModePausesTest, an_order_that_was_carried_out_is_repeated_also_in_a_pause) {
  const auto made = driver.spawn(m1, 7).room.number;
  fail_boot();
  const auto again = driver.spawn(m1, 7);
  EXPECT_EQ(again.outcome, SpawnOutcome::accepted);
  EXPECT_EQ(again.room.number, made);
}

TEST_F(ModePausesTest, a_master_that_comes_later_is_told_of_pauses_with_what_is_left_of_them) {
  fail_boot();
  driver.batch();
  driver.pass(milliseconds{400});
  const auto sent = all<SendToMaster>(driver.step(MasterConnected{MasterId{3}}));
  ASSERT_EQ(sent.size(), 1U);
  const auto& state = std::get<wire::WorkerState>(sent[0].message);
  ASSERT_EQ(state.modes.paused.size(), 1U);
  EXPECT_EQ(state.modes.paused[0].left, milliseconds{600});
}

TEST_F(ModePausesTest, a_drained_mode_takes_no_orders_until_it_is_resumed_whatever_its_games_do) {
  const auto booting = driver.spawn(m1, ++driver.token, 4, {1}).room.number;
  const auto other = driver.spawn(m1, ++driver.token, 4, {2}, brawl, "brawl").room.number;
  driver.step(DrainModeAsked{paused_duel, std::nullopt});
  const auto told = modes_told(driver.batch());
  ASSERT_EQ(told.size(), 2U);
  ASSERT_EQ(told.at(m2).paused.size(), 1U);
  EXPECT_EQ(told.at(m2).paused[0].mode, paused_duel);
  EXPECT_EQ(told.at(m2).paused[0].cause, PauseCause::drained);
  EXPECT_EQ(told.at(m2).paused[0].left, milliseconds{0});
  EXPECT_FALSE(driver.host.number_of({WorkerId{"w1"}, {}, booting}));
  EXPECT_TRUE(driver.host.number_of({WorkerId{"w1"}, {}, other}));
  driver.pass(seconds{4});
  EXPECT_EQ(order(), SpawnOutcome::mode_paused);
  EXPECT_EQ(order("brawl"), SpawnOutcome::accepted);
  driver.step(ProcessExited{booting, "signal SIGTERM"});
  driver.step(ResumeModeAsked{paused_duel});
  EXPECT_TRUE(modes_told(driver.batch()).at(m1).paused.empty());
  EXPECT_EQ(order(), SpawnOutcome::accepted);
}

TEST_F(ModePausesTest, a_mode_that_is_not_there_is_neither_drained_nor_told) {
  driver.step(DrainModeAsked{ModeName{"royale"}, std::nullopt});
  driver.step(ResumeModeAsked{paused_duel});
  EXPECT_TRUE(modes_told(driver.batch()).empty());
}

TEST_F(ModePausesTest, modes_that_changed_are_told_and_old_rooms_keep_the_rules_they_started_with) {
  const auto old = driver.open_room();
  driver.step(ModesChanged{
      {{.name = paused_duel, .stop_grace = seconds{60}}, {.name = ModeName{"royale"}}}});
  const auto told = modes_told(driver.batch());
  ASSERT_EQ(told.size(), 2U);
  EXPECT_EQ(told.at(m1).known, (std::vector{paused_duel, ModeName{"royale"}}));
  EXPECT_EQ(order("royale"), SpawnOutcome::accepted);
  driver.step(ShutdownAsked{old});
  EXPECT_EQ(all<KillProcess>(driver.pass(seconds{5})).size(), 1U) << "its old grace";
  driver.step(ProcessExited{old, "signal SIGKILL"});
  const auto fresh = driver.open_room();
  driver.step(ShutdownAsked{fresh});
  EXPECT_TRUE(all<KillProcess>(driver.pass(seconds{5})).empty()) << "the new one";
}

TEST_F(ModePausesTest, a_mode_that_was_removed_takes_no_orders_and_its_rooms_go_on) {
  const auto room = driver.open_room(4, {1});
  driver.step(DrainModeAsked{ModeName{"brawl"}, std::nullopt});
  driver.step(ModesChanged{{{.name = ModeName{"brawl"}}}});
  driver.step(ModesChanged{{{.name = ModeName{"brawl"}}}});
  EXPECT_EQ(order(), SpawnOutcome::unknown_mode);
  EXPECT_FALSE(driver.host.runs(paused_duel));
  EXPECT_EQ(order("brawl"), SpawnOutcome::mode_paused) << "it is drained";
  EXPECT_TRUE(driver.admits(room, 1));
  EXPECT_EQ(driver.seats(m1, room, claims({2})).granted.size(), 1U);
  driver.step(PlayerLeft{room, player(1)});
  driver.pass(seconds{75});
  EXPECT_EQ(all<SignalProcess>(driver.pass(seconds{75})).size(), 1U);
  driver.step(ProcessExited{room, "exit code 0"});
  driver.step(ModesChanged{{}});
  driver.step(ModesChanged{{{.name = ModeName{"brawl"}}}});
  EXPECT_EQ(order("brawl"), SpawnOutcome::accepted) << "a mode that was gone is not drained";
}

TEST_F(ModePausesTest, a_game_that_was_mended_is_tried_at_once_whatever_the_old_one_does) {
  const auto old = driver.spawn(m1, ++driver.token).room.number;
  fail_boot();
  driver.step(ModesChanged{small_options().modes});
  EXPECT_TRUE(driver.host.paused_modes().empty());
  driver.step(ProcessExited{old, "exit code 1"});
  EXPECT_EQ(order(), SpawnOutcome::accepted);
}

TEST_F(ModePausesTest, a_long_reason_is_cut_between_two_characters) {
  std::string how(wire::limits::reason_bytes - 1, 'x');
  fail_boot(how + "\u00e9 and more");
  EXPECT_EQ(driver.host.paused_modes().at(0).reason, how);
}

}  // namespace
}  // namespace fixkeep::worker
