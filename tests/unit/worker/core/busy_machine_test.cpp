// A worker whose machine has too much to do: it, or a game of it, is not scheduled for a while.
#include <gtest/gtest.h>

#include "tests/unit/worker/core/host_driver.hpp"
#include "worker/core/start_pace.hpp"

namespace fixkeep::worker {
namespace {

using wire::CloseReason;

struct BusyMachine : testing::Test {
  static RoomHostOptions options() {
    RoomHostOptions options = small_options();
    options.room_limit = 100;
    options.hears_first = milliseconds{250};
    return options;
  }
  RoomHostOptions queueing() {
    RoomHostOptions chosen = options();
    chosen.starts_queue = true;
    chosen.hears_first = {};
    return chosen;
  }
  static RoomHostOptions told_of_waiting() {
    RoomHostOptions chosen = options();
    chosen.hears_first = {};
    return chosen;
  }
  // A room with a player in it, whose game has said that it is well.
  static RoomNumber played_and_well(Driver& driver) {
    driver.step(MasterConnected{m1});
    const auto room = driver.open_room(4, {1});
    driver.step(GameHealthy{room});
    driver.admits(room, 1);
    return room;
  }
  static bool killed(const Actions& out) { return !all<KillProcess>(out).empty(); }
  // The worker was not scheduled from the next deadline on for so long, and comes to it now.
  static Actions sleep(Driver& driver, Duration late) {
    const TimePoint wakes = driver.host.next_tick() + late;
    driver.host.held_up(late);
    return driver.pass(wakes - driver.now);
  }
};

TEST_F(BusyMachine, a_late_timer_kills_no_game_before_its_word_is_heard) {
  Driver driver{options()};
  const auto room = played_and_well(driver);
  EXPECT_FALSE(killed(sleep(driver, seconds{20})));
  driver.step(GameHealthy{room});  // which has waited in a socket
  EXPECT_FALSE(killed(driver.pass(seconds{15})));
  EXPECT_TRUE(killed(driver.pass(milliseconds{250})));
}

TEST_F(BusyMachine, a_game_that_is_still_silent_after_a_late_timer_is_killed_a_moment_later) {
  Driver driver{options()};
  played_and_well(driver);
  EXPECT_FALSE(killed(sleep(driver, seconds{20})));
  EXPECT_FALSE(killed(driver.pass(milliseconds{250})));
  EXPECT_TRUE(killed(driver.pass(milliseconds{250})));
}

TEST_F(BusyMachine, a_worker_that_is_late_with_every_second_tick_gets_on) {
  Driver driver{options()};
  (void)played_and_well(driver);  // silent from now on, for fifteen seconds at most
  const TimePoint since = driver.now;
  bool over = false;
  while (!over && driver.now < since + seconds{75}) {
    over = killed(driver.pass(milliseconds{100})) || killed(sleep(driver, milliseconds{100}));
  }
  EXPECT_TRUE(over);
}

TEST_F(BusyMachine, what_is_due_after_the_worker_was_held_up_is_due_as_much_later) {
  Driver driver{options()};
  driver.step(MasterConnected{m1});
  driver.spawn(m1, 1, 4, {1}, brawl, "brawl");  // has five seconds to boot
  driver.spawn(m1, 2, 4, {2});                  // and this one thirty
  sleep(driver, seconds{10});
  driver.pass(milliseconds{500});
  EXPECT_EQ(all<KillProcess>(driver.pass(milliseconds{500})).size(), 1U);
  EXPECT_FALSE(killed(driver.pass(seconds{23})));
  EXPECT_FALSE(killed(driver.pass(seconds{2}))) << "it is heard out";
  EXPECT_TRUE(killed(driver.pass(seconds{1})));
}

TEST_F(BusyMachine, a_worker_that_is_always_late_gets_on) {
  Driver driver{options()};
  played_and_well(driver);
  int sleeps = 0;
  while (!killed(sleep(driver, seconds{1}))) ASSERT_LT(++sleeps, 10);
}

TEST_F(BusyMachine, a_player_who_came_in_time_is_let_in_however_late_the_worker_looks) {
  Driver driver{options()};
  driver.step(MasterConnected{m1});
  const auto room = driver.open_room(4, {1});
  sleep(driver, seconds{3});
  EXPECT_TRUE(driver.admits(room, 1));
}

TEST_F(BusyMachine, a_player_who_came_in_time_is_let_in_also_if_the_timer_is_a_little_sooner) {
  Driver driver{options()};
  driver.step(MasterConnected{m1});
  const auto room = driver.open_room(4, {1});
  driver.pass(seconds{15});
  EXPECT_TRUE(driver.admits(room, 1));
}

TEST_F(BusyMachine, a_seat_lapses_all_the_same_when_nobody_comes) {
  Driver driver{options()};
  driver.step(MasterConnected{m1});
  const auto room = driver.open_room(4, {1});
  sleep(driver, seconds{3});
  driver.pass(milliseconds{250});
  EXPECT_TRUE(driver.host.rooms().front().players.size() == 1) << "who came in time is heard first";
  driver.pass(milliseconds{250});
  EXPECT_FALSE(driver.admits(room, 1));
}

TEST_F(BusyMachine, a_game_that_waits_for_a_processor_is_not_unhealthy) {
  Driver driver{told_of_waiting()};
  played_and_well(driver);
  driver.waited = seconds{10};
  EXPECT_FALSE(killed(driver.pass(seconds{15})));
  EXPECT_FALSE(killed(driver.pass(milliseconds{9'999})));
  EXPECT_TRUE(killed(driver.pass(milliseconds{1}))) << "it had time, and said nothing";
}

TEST_F(BusyMachine, what_a_game_has_waited_long_ago_excuses_one_silence_at_most) {
  Driver driver{told_of_waiting()};
  driver.step(MasterConnected{m1});
  const auto room = driver.open_room(4, {1});
  driver.waited = std::chrono::hours{1};
  driver.step(GameHealthy{room});
  driver.admits(room, 1);
  EXPECT_FALSE(killed(driver.pass(seconds{15})));
  EXPECT_TRUE(killed(driver.pass(seconds{15})));
}

TEST_F(BusyMachine, a_game_that_waits_for_a_processor_while_it_boots_has_the_time_again) {
  Driver driver{told_of_waiting()};
  driver.step(MasterConnected{m1});
  const auto room = driver.spawn(m1, 1, 4, {1}, brawl, "brawl").room.number;
  driver.waited = seconds{4};
  EXPECT_FALSE(killed(driver.pass(seconds{5})));
  EXPECT_FALSE(killed(driver.pass(milliseconds{3'999})));
  EXPECT_TRUE(killed(driver.pass(milliseconds{1})));
  EXPECT_EQ(close_reason(driver.batch(), room), CloseReason::boot_timeout);
}

TEST_F(BusyMachine, a_game_that_nobody_can_look_at_is_ended_when_it_was_heard_out_twice) {
  Driver driver{options()};
  driver.answers = false;
  driver.step(MasterConnected{m1});
  driver.spawn(m1, 1, 4, {1}, brawl, "brawl");
  EXPECT_EQ(all<LookAtGame>(driver.pass(seconds{5})).size(), 1U);
  EXPECT_FALSE(killed(driver.pass(milliseconds{250}))) << "the answer is late";
  EXPECT_FALSE(killed(driver.pass(milliseconds{249})));
  EXPECT_TRUE(killed(driver.pass(milliseconds{1})));
}

// A late worker comes to its timers before it reads what came earlier.
TEST_F(BusyMachine, a_silent_game_is_heard_first_although_the_worker_reads_late) {
  Driver driver{options()};
  driver.answers = false;
  const auto room = played_and_well(driver);
  EXPECT_FALSE(killed(driver.pass(seconds{15})));
  EXPECT_FALSE(killed(driver.pass(milliseconds{250})));
  driver.step(GameSeen{room});
  driver.step(GameHealthy{room});
  EXPECT_FALSE(killed(driver.pass(seconds{15})));
}

TEST_F(BusyMachine, a_room_whose_player_is_seen_late_does_not_end_as_empty) {
  RoomHostOptions untold = options();
  untold.modes[0].seats = SeatRule::until_exit;
  Driver driver{untold};
  driver.step(MasterConnected{m1});
  const auto room = driver.open_room(4, {1});
  driver.connected = false;
  driver.pass(seconds{15});
  driver.pass(milliseconds{250});
  driver.answers = false;
  EXPECT_EQ(all<LookAtGame>(driver.pass(seconds{60})).size(), 1U);
  EXPECT_TRUE(all<SignalProcess>(driver.pass(milliseconds{250})).empty());
  driver.step(GameSeen{.room = room, .connected = true});
  EXPECT_TRUE(all<SignalProcess>(driver.pass(milliseconds{250})).empty());
}

TEST_F(BusyMachine, a_game_is_looked_at_once_however_many_of_its_seats_are_over) {
  RoomHostOptions untold = options();
  untold.modes[0].seats = SeatRule::until_exit;
  Driver driver{untold};
  driver.step(MasterConnected{m1});
  const auto room = driver.open_room(4, {1, 2, 3});
  driver.connected = false;
  const auto looks = all<LookAtGame>(driver.pass(seconds{15}));
  ASSERT_EQ(looks.size(), 1U);
  EXPECT_TRUE(looks[0].connected);
  driver.pass(milliseconds{250});
  EXPECT_FALSE(driver.admits(room, 1));
}

// The worker adds words to what a probe has said.
TEST_F(BusyMachine, what_masters_hear_of_a_slow_mode_is_never_too_long) {
  Driver driver{options()};
  driver.step(MasterConnected{m1});
  const auto room = driver.spawn(m1, 1, 4, {1}, brawl, "brawl").room.number;
  driver.step(NotReady{room, std::string(800, 'w')});
  const auto state = Driver::last<wire::WorkerState>(driver.step(MasterConnected{m2}));
  ASSERT_EQ(state.modes.paused.size(), 1U);
  EXPECT_EQ(state.modes.paused[0].reason.size(), wire::limits::reason_bytes);
}

// A claim that is given back, and another one, change the need for the room, and not what is heard.
TEST_F(BusyMachine, a_game_that_boots_too_long_is_heard_out_whoever_asks_for_a_seat_meanwhile) {
  Driver driver{options()};
  driver.step(MasterConnected{m1});
  const auto room = driver.spawn(m1, 1, 4, {1}, brawl, "brawl").room.number;
  EXPECT_FALSE(killed(driver.pass(seconds{5})));
  driver.seats(m1, room, claims({2}));
  EXPECT_FALSE(killed(driver.pass(milliseconds{249})));
  driver.step(ProcessReady{room});  // which has waited in a socket
  EXPECT_FALSE(killed(driver.pass(milliseconds{1})));
  EXPECT_EQ(driver.host.rooms().front().phase, wire::RoomPhase::open);
}

TEST_F(BusyMachine, a_game_is_heard_out_when_it_boots_too_long_although_it_was_when_it_was_silent) {
  Driver driver{options()};
  driver.step(MasterConnected{m1});
  const auto room = driver.spawn(m1, 1, 4, {1}, duel, "duel").room.number;
  driver.pass(milliseconds{14'900});
  driver.step(GameHealthy{room});
  EXPECT_FALSE(killed(driver.pass(seconds{15}))) << "its sign of life is listened for";
  EXPECT_FALSE(killed(driver.pass(milliseconds{100}))) << "and it has booted for 30 s";
  driver.step(GameHealthy{room});
  EXPECT_FALSE(killed(driver.pass(milliseconds{249})));
  EXPECT_TRUE(killed(driver.pass(milliseconds{1})));
}

// --- the queue of starts -------------------------------------------------------------------------

TEST_F(BusyMachine, the_time_to_boot_begins_when_the_process_is_started) {
  Driver driver{queueing()};
  driver.step(MasterConnected{m1});
  const auto room = driver.spawn(m1, 1, 4, {1}, brawl, "brawl").room.number;
  EXPECT_FALSE(killed(driver.pass(seconds{100})));
  driver.step(ProcessBegun{room});
  EXPECT_FALSE(killed(driver.pass(milliseconds{4'999})));
  EXPECT_TRUE(killed(driver.pass(milliseconds{1})));
}

TEST_F(BusyMachine, a_room_that_nobody_wants_any_more_leaves_the_queue) {
  Driver driver{queueing()};
  driver.step(MasterConnected{m1});
  const auto reply = driver.spawn(m1, 1, 4, {1});
  driver.release(m1, reply.room.number, reply.reservation, {1});
  EXPECT_TRUE(all<SignalProcess>(driver.pass(milliseconds{9'999})).empty())
      << "who was told to come back finds it";
  EXPECT_EQ(all<SignalProcess>(driver.pass(milliseconds{1})).size(), 1U);
  EXPECT_EQ(driver.host.start_queue().queued, 1U);
  driver.step(ProcessExited{reply.room.number, "it was never started"});
  EXPECT_EQ(driver.host.start_queue().queued, 0U);
}

TEST_F(BusyMachine, masters_are_told_how_many_starts_wait_and_how_fast_they_are) {
  Driver driver{queueing()};
  driver.step(MasterConnected{m1});
  driver.step(MasterConnected{m2});
  std::vector<RoomNumber> rooms;
  for (std::uint64_t i = 1; i <= 4; ++i) rooms.push_back(driver.spawn(m1, i).room.number);
  EXPECT_EQ(driver.host.start_queue(), (wire::StartQueue{4, 0}));
  for (std::size_t i = 0; i < 3; ++i) {
    driver.now += milliseconds{500};
    driver.step(ProcessBegun{rooms[i]});
  }
  EXPECT_EQ(driver.host.start_queue(), (wire::StartQueue{1, 120}));
  const auto news = Driver::last<wire::RoomsChanged>(driver.batch());
  EXPECT_EQ(news.starts, (wire::StartQueue{1, 120}));
}

TEST_F(BusyMachine, no_more_rooms_are_offered_than_can_be_started_soon) {
  Driver driver{queueing()};
  driver.step(MasterConnected{m1});
  EXPECT_EQ(driver.host.headroom(), 100U) << "none waits";
  std::vector<RoomNumber> rooms{driver.spawn(m1, 100).room.number};
  EXPECT_EQ(driver.host.headroom(), StartPace::always - 1);
  driver.step(ProcessBegun{rooms.back()});
  rooms.clear();
  for (std::uint64_t i = 1; i <= 40; ++i) rooms.push_back(driver.spawn(m1, i).room.number);
  EXPECT_EQ(driver.host.headroom(), 0U);
  for (std::size_t i = 0; i < 20; ++i) {
    driver.now += milliseconds{100};
    driver.step(ProcessBegun{rooms[i]});
  }
  EXPECT_EQ(driver.host.headroom(), 50U - 20U) << "ten a second for five seconds, and 20 wait";
}

}  // namespace
}  // namespace fixkeep::worker
