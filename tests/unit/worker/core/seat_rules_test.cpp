// What becomes of seats when the game does not say who plays, and of rooms that are drained.
#include <gtest/gtest.h>

#include <memory>
#include <set>

#include "tests/unit/worker/core/host_driver.hpp"
#include "worker/core/player_count.hpp"

namespace fixkeep::worker {
namespace {

using wire::CloseReason;
using wire::RoomPhase;

RoomHostOptions of_rule(SeatRule rule, Duration seat_time = {}) {
  RoomHostOptions options = small_options();
  options.modes[0].seats = rule;
  options.modes[0].seat_time = seat_time;
  options.close_empty_after = seconds{60};
  return options;
}

struct SeatRules : testing::Test {
  void with(SeatRule rule, Duration seat_time = {}) {
    driver = std::make_unique<Driver>(of_rule(rule, seat_time));
    for (const MasterId master : {m1, m2}) driver->step(MasterConnected{master});
  }
  [[nodiscard]] std::size_t taken(RoomNumber room) const {
    for (const auto& info : driver->host.rooms()) {
      if (info.number == room) return info.players.size();
    }
    return 0;
  }
  [[nodiscard]] bool open(RoomNumber room) const {
    for (const auto& info : driver->host.rooms()) {
      if (info.number == room) return true;
    }
    return false;
  }
  // The clock goes on, and the game is asked every 2 s.
  void play(RoomNumber room, std::uint32_t players, Duration duration) {
    for (Duration passed{}; passed < duration; passed += seconds{2}) {
      driver->pass(seconds{2});
      driver->step(PlayersCounted{room, players});
      driver->batch();
    }
  }
  void masters_know_the_truth() {
    driver->batch();
    const Belief truth = truth_of(driver->host);
    for (auto& [master, believer] : driver->masters) EXPECT_EQ(believer.rooms, truth);
  }

  std::unique_ptr<Driver> driver;
};

TEST_F(SeatRules, a_full_room_stays_open_for_ten_minutes_and_takes_nobody_whatever_the_rule) {
  for (const SeatRule rule :
       {SeatRule::told, SeatRule::counted, SeatRule::for_a_time, SeatRule::until_exit}) {
    SCOPED_TRACE(static_cast<int>(rule));
    with(rule, std::chrono::hours{1});
    const RoomNumber room = driver->open_room(2, {1, 2});
    if (rule == SeatRule::told) { EXPECT_TRUE(driver->admits(room, 1) && driver->admits(room, 2)); }
    for (int second = 0; second < 600; second += 2) {
      driver->pass(seconds{2});
      if (rule == SeatRule::counted) driver->step(PlayersCounted{room, 2});
      ASSERT_TRUE(open(room)) << "after " << second << " s";
      ASSERT_EQ(taken(room), 2U);
      ASSERT_TRUE(driver->seats(m1, room, claims({3})).granted.empty());
    }
  }
}

// Where nobody says who plays, a seat whose time is over may have had its player.
TEST_F(SeatRules, a_room_whose_seats_have_had_their_time_is_no_room_that_nobody_came_to) {
  with(SeatRule::for_a_time, seconds{20});
  const RoomNumber room = driver->open_room(2, {1});
  driver->pass(seconds{20});
  driver->pass(seconds{59});
  EXPECT_EQ(taken(room), 0U);
  EXPECT_TRUE(open(room));
  driver->pass(seconds{1});
  driver->batch();
  EXPECT_FALSE(open(room));
}

// --- a count -------------------------------------------------------------------------------------

TEST_F(SeatRules, counted_players_keep_their_seats_and_their_room_for_ten_minutes) {
  with(SeatRule::counted);
  const auto room = driver->open_room(4, {1, 2});
  play(room, 2, seconds{600});
  EXPECT_TRUE(open(room));
  EXPECT_EQ(taken(room), 2U);
  EXPECT_EQ(driver->host.rooms().at(0).occupied, 2U);
  masters_know_the_truth();
}

TEST_F(SeatRules, players_who_did_not_come_lose_their_seats) {
  with(SeatRule::counted);
  const auto room = driver->open_room(4, {1, 2, 3});
  play(room, 1, seconds{20});
  EXPECT_EQ(taken(room), 1U);
  play(room, 0, seconds{4});
  EXPECT_EQ(taken(room), 0U);
  play(room, 0, seconds{60});
  EXPECT_FALSE(open(room)) << "empty, and known to be so";
  masters_know_the_truth();
}

TEST_F(SeatRules, strangers_take_seats_and_a_full_game_is_not_handed_out) {
  with(SeatRule::counted);
  const auto room = driver->open_room(3, {1});
  driver->step(PlayersCounted{room, 3});
  EXPECT_EQ(taken(room), 3U);
  EXPECT_TRUE(driver->seats(m1, room, claims({2})).granted.empty());
  masters_know_the_truth();
  driver->step(PlayersCounted{room, 7});
  EXPECT_EQ(taken(room), 3U) << "more than there are seats";
  play(room, 2, seconds{20});
  EXPECT_EQ(taken(room), 2U);
  EXPECT_EQ(driver->seats(m1, room, claims({2})).granted.size(), 1U);
  masters_know_the_truth();
}

TEST_F(SeatRules, of_players_with_seats_the_first_to_come_are_believed_to_leave_first) {
  with(SeatRule::counted);
  const auto room = driver->open_room(4, {1});
  play(room, 1, seconds{20});
  driver->seats(m1, room, claims({2}));
  play(room, 2, seconds{20});
  driver->step(PlayersCounted{room, 1});
  EXPECT_EQ(driver->seats(m1, room, claims({2})).seated.size(), 0U) << "has it still";
  EXPECT_EQ(driver->seats(m1, room, claims({1})).seated.size(), 1U) << "had lost it";
}

TEST_F(SeatRules, a_room_that_could_not_be_counted_is_not_closed_as_empty) {
  with(SeatRule::counted);
  const auto room = driver->open_room(4, {1});
  driver->pass(seconds{600});
  driver->pass(seconds{600});
  EXPECT_TRUE(open(room));
  driver->step(PlayersCounted{room, 0});
  driver->step(PlayersUnknown{room});
  driver->pass(seconds{120});
  EXPECT_TRUE(open(room)) << "it may have players again";
  driver->step(PlayersCounted{room, 0});
  driver->pass(seconds{60});
  EXPECT_FALSE(open(room));
}

// As when the game is stopped for a moment: those who sit there cannot be counted.
TEST_F(SeatRules, a_seat_is_nobody_elses_while_nobody_knows_who_has_come) {
  with(SeatRule::counted);
  const auto room = driver->open_room(3, {1, 2, 3});
  driver->step(PlayersUnknown{room});
  driver->pass(seconds{600});
  EXPECT_EQ(taken(room), 3U);
  EXPECT_TRUE(driver->seats(m1, room, claims({4})).granted.empty());
  driver->step(PlayersCounted{room, 2});
  EXPECT_EQ(taken(room), 2U) << "one has not come";
  EXPECT_EQ(driver->host.rooms().at(0).occupied, 2U);
  EXPECT_EQ(driver->seats(m1, room, claims({4})).granted.size(), 1U);
  masters_know_the_truth();
  driver->step(PlayersUnknown{room});
  driver->pass(seconds{20});
  driver->step(PlayersCounted{room, 0});
  EXPECT_EQ(taken(room), 0U);
  driver->pass(seconds{60});
  EXPECT_FALSE(open(room)) << "and it ends like any other";
}

TEST_F(SeatRules,
       a_room_whose_players_cannot_be_counted_is_unknown_to_every_master_until_they_are) {
  with(SeatRule::counted);
  const auto unknown = [&] { return driver->host.rooms().at(0).unknown; };
  const auto room = driver->spawn(m1, 100, 3, {1, 2}).room.number;
  EXPECT_FALSE(unknown()) << "it starts, and nobody can be in it";
  driver->step(ProcessReady{room});
  EXPECT_TRUE(unknown());
  masters_know_the_truth();
  for (const std::uint32_t players : {2U, 0U}) {
    driver->step(PlayersCounted{room, players});
    EXPECT_FALSE(unknown());
    masters_know_the_truth();
    driver->step(PlayersUnknown{room});
    EXPECT_TRUE(unknown()) << "though as many seats are occupied as before";
    masters_know_the_truth();
  }
  EXPECT_TRUE(all<SendToMaster>(driver->step(PlayersUnknown{room})).empty());
  EXPECT_TRUE(all<SendToMaster>(driver->batch()).empty()) << "nothing that they do not know";
  with(SeatRule::told);
  driver->open_room(3, {1});
  EXPECT_FALSE(unknown());
}

TEST_F(SeatRules, counts_of_rooms_that_boot_or_that_are_not_counted_change_nothing) {
  with(SeatRule::counted);
  const auto booting = driver->spawn(m1, 100, 4, {1}).room.number;
  driver->step(PlayersCounted{booting, 3});
  EXPECT_EQ(taken(booting), 1U);
  driver->step(PlayersCounted{RoomNumber{99}, 3});
  with(SeatRule::told);
  const auto told = driver->open_room(4, {1});
  driver->step(PlayersCounted{told, 3});
  EXPECT_EQ(taken(told), 1U);
}

TEST(PlayerCount, never_exceeds_the_capacity_whatever_is_counted) {
  Seats seats{3};
  seats.reserve(PlayerId{"a"}, ReservationId{1});
  EXPECT_EQ(apply_count(seats, 2).taken.size(), 1U);
  EXPECT_EQ(apply_count(seats, 100).taken.size(), 1U);
  EXPECT_EQ(seats.taken(), 3U);
  EXPECT_EQ(seats.occupied(), 2U);
  EXPECT_TRUE(has_come(seats, 3));
  EXPECT_FALSE(has_come(seats, 2));
  EXPECT_EQ(apply_count(seats, 0).freed.size(), 2U);
  EXPECT_EQ(seats.taken(), 1U) << "the reservation has its time still";
}

// --- nothing is known ----------------------------------------------------------------------------

TEST_F(SeatRules, what_is_given_back_in_time_is_free_under_every_rule) {
  for (const SeatRule rule :
       {SeatRule::counted, SeatRule::until_exit, SeatRule::for_a_time, SeatRule::told}) {
    with(rule, seconds{300});
    const auto room = driver->open_room(2);
    const auto reply = driver->seats(m1, room, claims({1}));
    driver->release(m1, room, reply.reservation, {1});
    EXPECT_EQ(taken(room), 0U);
    driver->pass(seconds{20});
    EXPECT_EQ(taken(room), 0U);
  }
}

TEST_F(SeatRules, seats_for_a_time_are_free_when_it_is_over) {
  with(SeatRule::for_a_time, seconds{300});
  const auto room = driver->open_room(2, {1});
  driver->pass(seconds{100});
  EXPECT_EQ(driver->seats(m1, room, claims({2})).granted.size(), 1U);
  driver->pass(seconds{199});
  EXPECT_EQ(taken(room), 2U);
  driver->pass(seconds{1});
  EXPECT_EQ(taken(room), 1U);
  driver->pass(seconds{100});
  EXPECT_EQ(taken(room), 0U);
  driver->pass(seconds{60});
  EXPECT_FALSE(open(room));
}

TEST_F(SeatRules, reservations_of_different_lengths_end_each_at_its_time) {
  RoomHostOptions options = of_rule(SeatRule::for_a_time, seconds{300});
  driver = std::make_unique<Driver>(options);
  driver->step(MasterConnected{m1});
  const auto slow = driver->open_room(2, {1});
  const auto quick = driver->spawn(m1, 50, 2, {2}, brawl, "brawl").room.number;
  driver->step(ProcessReady{quick});
  EXPECT_EQ(driver->host.next_tick(), driver->now + options.reservation);
  driver->pass(options.reservation);
  EXPECT_EQ(taken(quick), 0U) << "that mode is told who plays";
  EXPECT_EQ(taken(slow), 1U);
}

// --- health from outside -------------------------------------------------------------------------

TEST_F(SeatRules, a_game_that_does_not_answer_takes_no_players_and_has_its_grace) {
  with(SeatRule::told);
  const auto room = driver->open_room(2, {1});
  const auto out = driver->step(GameUnhealthy{room, "no answer on udp port 8303"});
  const auto asked = all<SignalProcess>(out);
  ASSERT_EQ(asked.size(), 1U);
  EXPECT_EQ(asked[0].why, "no answer on udp port 8303");
  EXPECT_EQ(close_reason(driver->batch(), room), CloseReason::unhealthy);
  EXPECT_TRUE(driver->seats(m1, room, claims({2})).granted.empty());
  EXPECT_EQ(all<KillProcess>(driver->pass(seconds{5})).size(), 1U);
}

// --- drains --------------------------------------------------------------------------------------

TEST_F(SeatRules, a_drained_room_keeps_its_players_and_closes_when_the_last_one_leaves) {
  with(SeatRule::told);
  const auto room = driver->open_room(3, {1});
  ASSERT_TRUE(driver->admits(room, 1));
  driver->step(DrainAsked{room, seconds{600}});
  EXPECT_EQ(driver->host.rooms().at(0).phase, RoomPhase::draining);
  masters_know_the_truth();
  EXPECT_TRUE(driver->seats(m1, room, claims({2})).granted.empty());
  EXPECT_EQ(driver->seats(m1, room, claims({1})).granted.size(), 1U) << "it may come back";
  driver->pass(seconds{599});
  EXPECT_TRUE(open(room));
  EXPECT_EQ(all<SignalProcess>(driver->step(PlayerLeft{room, player(1)})).size(), 1U);
  EXPECT_EQ(close_reason(driver->batch(), room), CloseReason::drained);
}

TEST_F(SeatRules, a_drained_room_closes_when_its_time_is_over) {
  with(SeatRule::told);
  const auto room = driver->open_room(3, {1});
  ASSERT_TRUE(driver->admits(room, 1));
  driver->step(DrainAsked{room, seconds{600}});
  driver->step(DrainAsked{room, seconds{900}});  // the earliest end counts
  driver->step(DrainAsked{room, std::nullopt});
  EXPECT_EQ(all<SignalProcess>(driver->pass(seconds{600})).size(), 1U);
  EXPECT_EQ(close_reason(driver->batch(), room), CloseReason::drained);
}

TEST_F(SeatRules, a_room_that_drains_until_it_is_empty_can_be_given_an_end) {
  with(SeatRule::told);
  const auto room = driver->open_room(3, {1});
  ASSERT_TRUE(driver->admits(room, 1));
  driver->step(DrainAsked{room, std::nullopt});
  EXPECT_TRUE(all<SignalProcess>(driver->pass(std::chrono::hours{24})).empty());
  driver->step(DrainAsked{room, seconds{900}});
  driver->step(DrainAsked{room, seconds{600}});
  EXPECT_EQ(all<SignalProcess>(driver->pass(seconds{600})).size(), 1U);
}

TEST_F(SeatRules, a_worker_that_was_drained_for_a_while_stays_and_can_be_resumed) {
  with(SeatRule::told);
  EXPECT_TRUE(all<StoppedEmpty>(driver->step(DrainAllAsked{})).empty());
  EXPECT_TRUE(driver->host.draining());
  EXPECT_EQ(driver->spawn(m1, 100).outcome, wire::SpawnOutcome::mode_paused);
  driver->step(ResumeAllAsked{});
  EXPECT_EQ(driver->spawn(m1, 101).outcome, wire::SpawnOutcome::accepted);
  driver->step(DrainAllAsked{{}, true});
  driver->step(ResumeAllAsked{});
  EXPECT_TRUE(driver->host.draining()) << "it ends";
}

TEST_F(SeatRules, rooms_without_players_close_at_once_when_they_are_drained) {
  with(SeatRule::told);
  const auto empty = driver->open_room(3);
  const auto booting = driver->spawn(m1, 100, 3, {1}).room.number;
  driver->step(DrainAsked{empty, seconds{600}});
  driver->step(DrainAsked{booting, seconds{600}});
  EXPECT_TRUE(driver->host.rooms().empty());
}

TEST_F(SeatRules, a_drained_worker_takes_no_orders_and_ends_when_its_last_game_has) {
  with(SeatRule::told);
  const auto room = driver->open_room(3, {1});
  ASSERT_TRUE(driver->admits(room, 1));
  EXPECT_TRUE(all<StoppedEmpty>(driver->step(DrainAllAsked{seconds{600}, true})).empty());
  EXPECT_EQ(driver->host.headroom(), 0U);
  EXPECT_EQ(driver->spawn(m1, 100).outcome, wire::SpawnOutcome::mode_paused);
  driver->step(PlayerLeft{room, player(1)});
  EXPECT_EQ(all<StoppedEmpty>(driver->step(ProcessExited{room, "exit code 0"})).size(), 1U);
}

TEST_F(SeatRules, a_drained_worker_without_rooms_ends_at_once) {
  with(SeatRule::told);
  EXPECT_EQ(all<StoppedEmpty>(driver->step(DrainAllAsked{seconds{600}, true})).size(), 1U);
  EXPECT_TRUE(all<StoppedEmpty>(driver->step(StopAsked{})).empty()) << "said once";
}

}  // namespace
}  // namespace fixkeep::worker
