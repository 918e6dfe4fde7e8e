// The seats of a room as its worker keeps them: how long a reservation lasts, who gives it back,
// and what becomes of a starting room that nobody wants any more.
#include <gtest/gtest.h>

#include "tests/unit/worker/core/host_driver.hpp"

namespace fixkeep::worker {
namespace {

using wire::CloseReason;
using wire::RoomPhase;

struct Reserving : testing::Test {
  Reserving() {
    driver.step(MasterConnected{m1});
    driver.step(MasterConnected{m2});
  }
  Driver driver;
};

TEST_F(Reserving, a_reservation_lapses_after_its_time_and_not_before) {
  const auto room = driver.open_room(2, {1});
  driver.pass(seconds{15} - Duration{1});
  EXPECT_EQ(driver.host.rooms().at(0).players.size(), 1U);
  EXPECT_EQ(driver.host.next_tick(), driver.now + Duration{1});
  driver.pass(Duration{1});
  EXPECT_TRUE(driver.host.rooms().at(0).players.empty());
  EXPECT_FALSE(driver.admits(room, 1));
  EXPECT_EQ(driver.host.counters().seats_lapsed, 1U);
}

TEST_F(Reserving, in_a_starting_room_the_time_of_a_reservation_begins_when_it_opens) {
  const auto room = driver.spawn(m1, 1, 2, {1}).room.number;
  driver.pass(seconds{20});
  driver.step(ProcessReady{room});
  driver.pass(seconds{14});
  EXPECT_TRUE(driver.admits(room, 1));
}

TEST_F(Reserving, asking_again_gives_a_reservation_its_full_time_again) {
  const auto room = driver.open_room(2, {1});
  driver.pass(seconds{10});
  EXPECT_EQ(driver.seats(m1, room, claims({1})).reserved_for, seconds{15});
  driver.pass(seconds{10});
  EXPECT_EQ(driver.host.counters().seats_lapsed, 0U) << "the time of the first one is over";
  EXPECT_TRUE(driver.admits(room, 1));
}

TEST_F(Reserving, releasing_frees_reserved_seats_only) {
  const auto room = driver.open_room(2);
  const auto reply = driver.seats(m1, room, claims({1, 2}));
  EXPECT_TRUE(driver.admits(room, 1));
  driver.release(m1, room, reply.reservation, {1, 2, 9});
  EXPECT_EQ(driver.host.rooms().at(0).players, std::vector{hash_of(player(1))});
}

TEST_F(Reserving, a_release_takes_nothing_from_a_later_request_of_the_same_player) {
  const auto room = driver.open_room(2);
  const auto first = driver.seats(m1, room, claims({1}));
  const auto second = driver.seats(m2, room, claims({1}));
  driver.release(m1, room, first.reservation, {1});
  EXPECT_TRUE(driver.admits(room, 1));
  EXPECT_NE(first.reservation, second.reservation);
}

TEST_F(Reserving, a_release_takes_nothing_from_an_earlier_request_of_the_same_player) {
  const auto room = driver.open_room(2);
  driver.seats(m1, room, claims({1}));
  const auto second = driver.seats(m2, room, claims({1}));
  driver.release(m2, room, second.reservation, {1});
  EXPECT_TRUE(driver.admits(room, 1));
}

TEST_F(Reserving, a_seat_is_free_when_all_its_reservations_are_given_back) {
  const auto room = driver.open_room(2);
  const auto first = driver.seats(m1, room, claims({1}));
  const auto second = driver.seats(m2, room, claims({1}));
  driver.release(m2, room, second.reservation, {1});
  driver.release(m2, room, second.reservation, {1});
  EXPECT_EQ(driver.host.rooms().at(0).players.size(), 1U);
  driver.release(m1, room, first.reservation, {1});
  EXPECT_EQ(driver.host.rooms().at(0).players.size(), 0U);
}

TEST_F(Reserving, a_seat_with_more_reservations_than_are_told_apart_stays_until_it_lapses) {
  const auto room = driver.open_room(2);
  std::vector<ReservationId> all;
  all.reserve(9);
  for (int i = 0; i < 9; ++i) all.push_back(driver.seats(m1, room, claims({1})).reservation);
  for (const ReservationId reservation : all) driver.release(m1, room, reservation, {1});
  EXPECT_EQ(driver.host.rooms().at(0).players.size(), 1U);
  driver.pass(seconds{15});
  EXPECT_EQ(driver.host.rooms().at(0).players.size(), 0U);
}

// A party whose players have seats in two rooms is given a seat in one, cannot use it, gives it
// back and asks again. The seats that nobody comes for must end nevertheless.
TEST_F(Reserving, what_is_asked_for_and_given_back_prolongs_no_other_reservation) {
  const auto room = driver.open_room(2, {1});
  for (int second = 0; second < 14; ++second) {
    const auto asked = driver.seats(m1, room, claims({1}));
    driver.release(m1, room, asked.reservation, {1});
    driver.pass(seconds{1});
  }
  EXPECT_EQ(driver.host.rooms().at(0).players.size(), 1U);
  driver.pass(seconds{1});
  EXPECT_EQ(driver.host.rooms().at(0).players.size(), 0U);
}

TEST_F(Reserving, in_a_starting_room_every_reservation_has_its_time_when_it_opens) {
  const auto room = driver.spawn(m1, 1, 2, {1}).room.number;
  const auto again = driver.seats(m2, room, claims({1}));
  driver.step(ProcessReady{room});
  driver.pass(seconds{10});
  driver.release(m2, room, again.reservation, {1});
  EXPECT_EQ(driver.host.rooms().at(0).players.size(), 1U);
  driver.pass(seconds{5});
  EXPECT_EQ(driver.host.rooms().at(0).players.size(), 0U);
}

TEST_F(Reserving, a_player_in_the_game_who_asks_anew_keeps_the_seat_when_the_old_connection_ends) {
  const auto room = driver.open_room(2, {1});
  ASSERT_TRUE(driver.admits(room, 1));
  ASSERT_EQ(driver.seats(m1, room, claims({1})).granted.size(), 1U);
  driver.step(PlayerLeft{room, player(1)});
  EXPECT_EQ(driver.host.rooms().at(0).occupied, 0U);
  EXPECT_TRUE(driver.admits(room, 1));
}

TEST_F(Reserving, a_starting_room_that_nobody_wants_any_more_is_ended) {
  const auto spawned = driver.spawn(m1, 1, 2, {1, 2});
  const auto room = spawned.room.number;
  driver.batch();
  driver.release(m1, room, spawned.reservation, {1});
  EXPECT_TRUE(all<SignalProcess>(driver.pass(seconds{11})).empty());
  driver.release(m1, room, spawned.reservation, {2});
  EXPECT_EQ(all<SignalProcess>(driver.pass(seconds{10})).size(), 1U);
  EXPECT_EQ(close_reason(driver.batch(), room), CloseReason::empty);
}

// Their clients have hung up while it started, or did not come.
TEST_F(Reserving, an_open_room_to_which_nobody_comes_ends_soon) {
  const auto spawned = driver.spawn(m1, 1, 2, {1});
  const auto room = spawned.room.number;
  driver.step(ProcessReady{room});
  driver.release(m1, room, spawned.reservation, {1});
  EXPECT_TRUE(all<SignalProcess>(driver.pass(milliseconds{9'999})).empty());
  EXPECT_EQ(all<SignalProcess>(driver.pass(milliseconds{1})).size(), 1U);
  EXPECT_EQ(close_reason(driver.batch(), room), CloseReason::empty);

  const auto other = driver.spawn(m1, 2, 2, {1}).room.number;
  driver.step(ProcessReady{other});
  EXPECT_TRUE(all<SignalProcess>(driver.pass(seconds{15})).empty()) << "the seat has just lapsed";
  EXPECT_TRUE(all<SignalProcess>(driver.pass(milliseconds{9'999})).empty());
  EXPECT_EQ(all<SignalProcess>(driver.pass(milliseconds{1})).size(), 1U);
}

TEST_F(Reserving, an_open_room_waits_for_the_next_claim_and_for_its_reservation) {
  const auto room = driver.open_room(2);
  for (int i = 1; i < 5; ++i) {
    EXPECT_TRUE(all<SignalProcess>(driver.pass(seconds{9})).empty());
    ASSERT_EQ(driver.seats(m1, room, claims({i})).granted.size(), 1U);
    EXPECT_TRUE(all<SignalProcess>(driver.pass(seconds{15})).empty());
  }
  ASSERT_EQ(driver.seats(m1, room, claims({9})).granted.size(), 1U);
  EXPECT_TRUE(driver.admits(room, 9));
  driver.step(PlayerLeft{room, player(9)});
  EXPECT_TRUE(all<SignalProcess>(driver.pass(seconds{59})).empty()) << "somebody was in it";
  EXPECT_EQ(all<SignalProcess>(driver.pass(seconds{1})).size(), 1U);
}

TEST_F(Reserving, a_room_that_is_given_up_when_it_is_empty_is_not_kept_longer_for_nobody) {
  RoomHostOptions options = small_options();
  options.close_empty_after = seconds{2};
  Driver sooner{options};
  sooner.step(MasterConnected{m1});
  (void)sooner.open_room();
  EXPECT_EQ(all<SignalProcess>(sooner.pass(seconds{2})).size(), 1U);
}

TEST_F(Reserving, a_starting_room_that_is_wanted_again_in_time_boots_on) {
  const auto spawned = driver.spawn(m1, 1, 2, {1});
  const auto room = spawned.room.number;
  driver.release(m1, room, spawned.reservation, {1});
  driver.pass(milliseconds{9'999});
  ASSERT_EQ(driver.seats(m2, room, claims({1})).granted.size(), 1U);
  driver.pass(seconds{12});
  driver.step(ProcessReady{room});
  EXPECT_TRUE(driver.admits(room, 1));
}

TEST_F(Reserving, a_starting_room_that_is_wanted_again_still_has_to_boot_in_time) {
  const auto spawned = driver.spawn(m1, 1, 2, {1});
  const auto room = spawned.room.number;
  driver.release(m1, room, spawned.reservation, {1});
  ASSERT_EQ(driver.seats(m2, room, claims({1})).granted.size(), 1U);
  EXPECT_TRUE(all<KillProcess>(driver.pass(seconds{29})).empty());
  EXPECT_EQ(all<KillProcess>(driver.pass(seconds{1})).size(), 1U);
  EXPECT_EQ(close_reason(driver.batch(), room), CloseReason::boot_timeout);
}

TEST_F(Reserving, a_reply_about_a_closed_room_grants_nothing_and_says_why_it_closed) {
  const auto room = driver.spawn(m1, 1, 2, {1}).room.number;
  driver.step(ProcessExited{room, "exit code 3"});
  const auto reply = driver.seats(m2, room, claims({1, 2}));
  EXPECT_EQ(reply.phase, RoomPhase::closed);
  EXPECT_EQ(reply.reason, CloseReason::boot_failed);
  EXPECT_TRUE(reply.granted.empty()) << "also to those who had a seat";
}

TEST_F(Reserving, replies_and_news_say_when_a_room_opened_by_the_same_clock) {
  const auto spawned = driver.spawn(m1, 1, 2, {1});
  driver.batch();
  EXPECT_EQ(spawned.room.opened_at, wire::WorkerTime{0});
  driver.pass(seconds{3});
  driver.step(ProcessReady{spawned.room.number});
  driver.pass(seconds{4});
  const auto reply = driver.seats(m1, spawned.room.number, claims({2}));
  EXPECT_EQ(reply.opened_at - spawned.granted_at, seconds{3});
  EXPECT_EQ(reply.granted_at - spawned.granted_at, seconds{7});
  EXPECT_EQ(driver.host.rooms().at(0).opened_at, reply.opened_at);
}

TEST_F(Reserving, leaving_does_not_take_a_seat_that_was_reserved_anew) {
  const auto room = driver.open_room(2, {1});
  driver.step(PlayerLeft{room, player(1)});
  EXPECT_EQ(driver.host.rooms().at(0).players.size(), 1U);
}

}  // namespace
}  // namespace fixkeep::worker
