#include "worker/shell/room_log.hpp"

#include <gmock/gmock.h>

#include "common/obs/log.hpp"

namespace fixkeep::worker {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using ::testing::Not;
using wire::CloseReason;

constexpr RoomNumber logged_room{7};
constexpr TimePoint now{1h};

struct RoomLogTest : testing::Test {
  RoomLogTest() {
    RoomHostOptions options;
    options.modes = {{.name = ModeName{"duel"}, .boot_timeout = 2500ms, .stop_grace = 400ms}};
    options.close_empty_after = 60s;
    rooms = std::make_unique<RoomLog>(options);
    testing::internal::CaptureStderr();
    obs::start_log({.node = "w1"});
    rooms->starting({.room = logged_room,
                     .group = GroupKey{"duel/eu"},
                     .mode = ModeName{"duel"},
                     .capacity = 4,
                     .creation = {}},
                    wire::at_port(20'000));
  }
  std::string log() {
    obs::stop_log();
    return testing::internal::GetCapturedStderr();
  }
  static GameEnd game_end(const std::string& how, const std::string& last_lines) {
    return {.kind = GameEnd::Kind::exited, .how = how, .last_lines = last_lines};
  }
  static std::size_t count(const std::string& text, const std::string& part) {
    std::size_t found = 0;
    for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
    return found;
  }
  std::unique_ptr<RoomLog> rooms;
};

TEST_F(RoomLogTest, says_that_players_are_sent_where_their_game_does_not_listen) {
  for (int i = 0; i < 100; ++i) rooms->unreachable(ModeName{"duel"}, "203.0.113.7", 20'000, now);
  const std::string told = log();
  EXPECT_THAT(told, HasSubstr("203.0.113.7"));
  EXPECT_EQ(count(told, "no player reaches a game"), 10U) << "some a second";
}

TEST_F(RoomLogTest, blames_no_game_for_a_room_that_had_none) {
  rooms->ended(logged_room, never_ran("there is no fleet duell", true), now);
  const std::string told = log();
  EXPECT_THAT(told, Not(HasSubstr("game failed")));
  EXPECT_THAT(told, HasSubstr("there is no fleet duell"));
}

TEST_F(RoomLogTest, says_that_a_room_is_open_once_however_often_the_game_says_so) {
  for (int i = 0; i < 5; ++i) rooms->ready(logged_room);
  rooms->closing(logged_room, CloseReason::empty);
  rooms->ready(logged_room);
  EXPECT_EQ(count(log(), "room open"), 1U);
}

TEST_F(RoomLogTest, gives_the_reason_for_which_a_group_is_refused_some_times_a_second) {
  for (int i = 0; i < 100; ++i) {
    rooms->refused({.mode = ModeName{"duel"},
                    .group = GroupKey{"duel/map=" + std::to_string(i)},
                    .why = "map: is not one of its values"},
                   now);
  }
  const auto text = log();
  EXPECT_THAT(text,
              HasSubstr("mode=duel group=\"duel/map=0\" reason=\"map: is not one of its values\""));
  EXPECT_EQ(count(text, "no room for this group"), 10U);
}

TEST_F(RoomLogTest, gives_the_reason_of_a_room_that_closes) {
  rooms->ready(logged_room);
  rooms->closing(logged_room, CloseReason::empty);
  rooms->ended(logged_room, game_end("exit code 0", "bye"), now);
  const auto text = log();
  EXPECT_THAT(text, HasSubstr("room closing room=7 reason=\"empty: for 60000 ms\""));
  EXPECT_THAT(text,
              HasSubstr("game ended room=7 how=\"exit code 0\" reason=\"empty: for 60000 ms\""));
}

TEST_F(RoomLogTest, tells_a_boot_timeout_from_a_game_that_ended_while_it_booted) {
  rooms->killed(logged_room, CloseReason::boot_timeout);
  rooms->ended(logged_room, game_end("signal SIGKILL", "loading\n"), now);
  rooms->starting({.room = RoomNumber{8}, .group = {}, .mode = ModeName{"duel"}, .creation = {}},
                  {});
  rooms->ended(RoomNumber{8}, game_end("exit code 3", "no such map\n"), now);
  const auto text = log();
  EXPECT_THAT(text,
              HasSubstr("room closing room=7 reason=\"boot-timeout: not ready after 2500 ms\""));
  EXPECT_THAT(text, HasSubstr("game failed room=7 mode=duel how=\"signal SIGKILL\" "
                              "reason=\"boot-timeout: not ready after 2500 ms\" "
                              "last_output=\"loading\\n\""));
  EXPECT_THAT(text, HasSubstr("game failed room=8 mode=duel how=\"exit code 3\" "
                              "reason=\"boot-failed: it ended before it was ready\" "
                              "last_output=\"no such map\\n\""));
}

TEST_F(RoomLogTest, names_a_crash_a_silence_a_shutdown_and_the_end_of_the_worker) {
  rooms->ready(logged_room);
  rooms->ended(logged_room, game_end("signal SIGSEGV", ""), now);
  for (const std::uint32_t number : {8U, 9U, 10U}) {
    rooms->starting(
        {.room = RoomNumber{number}, .group = {}, .mode = ModeName{"duel"}, .creation = {}}, {});
    rooms->ready(RoomNumber{number});
  }
  rooms->silent(RoomNumber{8}, 15s);
  rooms->killed(RoomNumber{8}, CloseReason::crashed);
  rooms->closing(RoomNumber{9}, CloseReason::shut_down);
  rooms->closing(RoomNumber{10}, CloseReason::stopping);
  rooms->killed(RoomNumber{10}, CloseReason::stopping);
  const auto text = log();
  EXPECT_THAT(text, HasSubstr("room=7 mode=duel how=\"signal SIGSEGV\" reason=\"crashed: "));
  EXPECT_THAT(
      text, HasSubstr("room closing room=8 reason=\"unhealthy: no sign of health for 15000 ms\""));
  EXPECT_THAT(text, HasSubstr("room closing room=9 reason=\"shut-down: the game asked for it\""));
  EXPECT_THAT(text, HasSubstr("room closing room=10 reason=\"stopped: the worker ends\""));
  EXPECT_THAT(text, HasSubstr("game killed: it did not end in time room=10 "
                              "reason=\"stopped: the worker ends\" grace=\"400 ms\""));
  EXPECT_EQ(count(text, "room closing room=8"), 1U);
}

TEST_F(RoomLogTest, does_not_drown_the_log_in_failures_of_one_kind) {
  for (std::uint32_t i = 100; i < 200; ++i) {
    rooms->starting({.room = RoomNumber{i}, .group = {}, .mode = ModeName{"duel"}, .creation = {}},
                    {});
    rooms->ended(RoomNumber{i}, game_end("cannot execute", ""), now);
  }
  rooms->ended(logged_room, game_end("cannot execute", ""), now + 1s);
  const auto text = log();
  EXPECT_EQ(count(text, "game failed"), 11U);
  EXPECT_THAT(text, HasSubstr("game failed (and 90 more like it) room=7"));
}

}  // namespace
}  // namespace fixkeep::worker
