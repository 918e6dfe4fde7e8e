// A worker that goes on with what an earlier run of it has remembered.
#include <gtest/gtest.h>

#include "tests/unit/worker/core/host_driver.hpp"

namespace fixkeep::worker {
namespace {

RoomHostOptions remembering() {
  RoomHostOptions options = small_options();
  options.keep_records = true;
  return options;
}

struct Recovery : testing::Test {
  Recovery() { driver.step(MasterConnected{m1}); }

  // Everything is written down, and another worker takes its place.
  Actions restart(bool complete = true, RoomHostOptions options = remembering()) {
    driver.batch();
    for (const Record& record : driver.host.take_records()) memory.apply(record);
    driver.host = RoomHost{std::move(options), driver.now};
    const Actions out = driver.step(Recovered{.memory = memory, .complete = complete});
    driver.step(MasterConnected{m1});
    memory = memory_of(driver.host.snapshot());
    return out;
  }
  std::vector<wire::Claim> one(int number) { return claims({number}); }

  Driver driver{remembering()};
  Memory memory;
};

TEST_F(Recovery, finds_rooms_with_those_who_sit_in_them) {
  const RoomNumber room = driver.open_room(4, {1, 2});
  ASSERT_TRUE(driver.admits(room, 1));
  const auto before = driver.host.rooms();
  const auto adopted = all<AdoptProcess>(restart());
  ASSERT_EQ(adopted.size(), 1U);
  EXPECT_EQ(adopted[0].as.room, room);
  EXPECT_EQ(adopted[0].place, place_of(room));
  EXPECT_TRUE(adopted[0].open);
  EXPECT_EQ(driver.host.rooms(), before);
  EXPECT_TRUE(driver.admits(room, 1)) << "on another connection";
  EXPECT_TRUE(driver.admits(room, 2)) << "who had not come yet";
  EXPECT_FALSE(driver.admits(room, 3));
}

TEST_F(Recovery, knows_the_teams_that_rules_have_made) {
  const RoomNumber room = driver.open_room(4, {1});
  driver.seats(m1, room,
               {{.player = player(2),
                 .party = {},
                 .context = {},
                 .brings = "1 1500",
                 .party_brings = {},
                 .match = std::nullopt,
                 .lineup = {{player(2), "2", R"({"rating":1500})"}}}});
  const auto adopted = all<AdoptProcess>(restart());
  ASSERT_EQ(adopted.size(), 1U);
  ASSERT_TRUE(adopted[0].as.match);
  EXPECT_EQ(adopted[0].as.match->players,
            (std::vector<wire::MatchPlayer>{{player(2), "2", R"({"rating":1500})"}}));
}

TEST_F(Recovery, keeps_its_promises) {
  ASSERT_TRUE(driver.prepare(m1, 7).promised);
  restart();
  EXPECT_EQ(driver.spawn(m1, 6).outcome, wire::SpawnOutcome::stale_token);
  EXPECT_FALSE(driver.prepare(m1, 7).promised) << "a token is promised once";
  EXPECT_EQ(driver.prepare(m1, 8).highest, (FencingToken{8, m1}));
}

TEST_F(Recovery, an_order_of_before_makes_no_second_room) {
  const auto made = driver.spawn(m1, 3);
  restart();
  const auto again = driver.spawn(m1, 3);
  EXPECT_EQ(again.room.number, made.room.number);
  EXPECT_EQ(driver.host.rooms().size(), 1U);
}

TEST_F(Recovery, nor_does_one_of_a_room_that_is_no_more) {
  const auto made = driver.spawn(m1, 3);
  driver.step(ProcessExited{made.room.number, "exit code 1"});
  restart();
  const auto again = driver.spawn(m1, 3);
  EXPECT_EQ(again.room.number, made.room.number);
  EXPECT_EQ(again.room.phase, wire::RoomPhase::closed);
  EXPECT_TRUE(driver.host.rooms().empty());
}

TEST_F(Recovery, gives_no_number_twice) {
  const RoomNumber room = driver.open_room(4);
  const auto reserved = driver.seats(m1, room, one(1)).reservation;
  driver.release(m1, room, reserved, {1});
  driver.step(ShutdownAsked{room});
  driver.step(ProcessExited{room, "exit code 0"});
  restart();
  const auto next = driver.spawn(m1, ++driver.token, 4, {2});
  EXPECT_GT(next.room.number, room);
  EXPECT_GT(next.reservation, reserved) << "an old release must not free it";
}

TEST_F(Recovery, gives_a_reservation_its_full_time_again) {
  const RoomNumber room = driver.open_room(4);
  driver.seats(m1, room, one(1));
  driver.pass(seconds{14});
  restart();
  driver.pass(seconds{14});
  EXPECT_TRUE(driver.admits(room, 1));
  driver.seats(m1, room, one(2));
  driver.pass(seconds{15});
  EXPECT_FALSE(driver.admits(room, 2));
}

TEST_F(Recovery, a_room_that_nobody_had_placed_yet_is_placed_by_the_next_run) {
  driver.places = false;
  const auto room = driver.spawn(m1, 3, 4, {1}).room.number;
  const auto adopted = all<AdoptProcess>(restart());
  ASSERT_EQ(adopted.size(), 1U);
  EXPECT_FALSE(adopted[0].place);
  driver.place(room);
  driver.step(ProcessReady{room});
  driver.batch();
  EXPECT_EQ(driver.masters[m1].rooms.at(room).place, place_of(room));
  EXPECT_TRUE(driver.admits(room, 1));
}

TEST_F(Recovery, rooms_of_the_earlier_run_take_no_place_twice) {
  driver.open_room();
  restart();
  driver.step(PlacesChanged{1, {}});
  EXPECT_EQ(driver.host.headroom(), 1U);
  EXPECT_EQ(driver.spawn(m1, 9).outcome, wire::SpawnOutcome::accepted);
  EXPECT_EQ(driver.host.headroom(), 0U);
}

TEST_F(Recovery, waits_for_a_room_that_starts_and_not_for_ever) {
  const auto made = driver.spawn(m1, 3, 4, {1});
  const auto adopted = all<AdoptProcess>(restart());
  ASSERT_EQ(adopted.size(), 1U);
  EXPECT_FALSE(adopted[0].open);
  driver.step(ProcessReady{made.room.number});
  EXPECT_TRUE(driver.admits(made.room.number, 1));

  driver.spawn(m1, 4, 4, {2});
  restart();
  EXPECT_EQ(all<KillProcess>(driver.pass(seconds{30})).size(), 1U);
}

TEST_F(Recovery, a_room_whose_game_has_ended_meanwhile_has_crashed) {
  const RoomNumber room = driver.open_room(4, {1});
  restart();
  driver.step(ProcessExited{room, "signal SIGSEGV"});
  driver.batch();
  EXPECT_TRUE(driver.host.rooms().empty());
  EXPECT_EQ(driver.host.headroom(), 3U);
}

TEST_F(Recovery, a_room_that_was_closing_is_asked_to_end_once_more) {
  const RoomNumber room = driver.open_room();
  driver.step(ShutdownAsked{room});
  const Actions out = restart();
  EXPECT_EQ(all<SignalProcess>(out).size(), 1U);
  EXPECT_EQ(all<KillProcess>(driver.pass(seconds{5})).size(), 1U);
}

TEST_F(Recovery, a_drained_room_stays_drained_until_its_time_is_over) {
  const RoomNumber room = driver.open_room(4, {1});
  ASSERT_TRUE(driver.admits(room, 1));
  driver.step(DrainAsked{room, seconds{20}});
  restart();
  EXPECT_TRUE(driver.seats(m1, room, one(2)).granted.empty());
  EXPECT_TRUE(all<SignalProcess>(driver.pass(seconds{19})).empty());
  EXPECT_EQ(all<SignalProcess>(driver.pass(seconds{1})).size(), 1U);
}

TEST_F(Recovery, a_mode_that_is_no_more_has_no_rooms) {
  driver.open_room();
  RoomHostOptions options = remembering();
  options.modes.erase(options.modes.begin());
  EXPECT_TRUE(all<AdoptProcess>(restart(true, options)).empty());
  EXPECT_TRUE(driver.host.rooms().empty());
  EXPECT_EQ(driver.host.headroom(), 3U);
}

// --- of a memory that lacks something ------------------------------------------------------------

TEST_F(Recovery, in_doubt_gives_no_seat_to_anybody_new) {
  const RoomNumber room = driver.open_room(4, {1});
  restart(false);
  EXPECT_TRUE(driver.seats(m1, room, one(2)).granted.empty());
  EXPECT_EQ(driver.seats(m1, room, one(1)).granted.size(), 1U) << "who has one may ask again";
}

TEST_F(Recovery, in_doubt_lets_in_whoever_comes_while_there_is_a_seat) {
  const RoomNumber room = driver.open_room(2, {1});
  restart(false);
  EXPECT_TRUE(driver.admits(room, 7)) << "his reservation may be what is missing";
  EXPECT_FALSE(driver.admits(room, 8)) << "player 1 may still come";
  EXPECT_EQ(driver.host.rooms().front().players.size(), 2U);
}

TEST_F(Recovery, in_doubt_an_empty_room_stays_for_whoever_comes) {
  const RoomNumber room = driver.open_room();
  restart(false);
  ASSERT_TRUE(driver.admits(room, 7)) << "his seat is what is missing";
  EXPECT_TRUE(all<SignalProcess>(driver.pass(seconds{3600})).empty()) << "he plays";
  EXPECT_EQ(all<SignalProcess>(driver.step(PlayerLeft{room, player(7)})).size(), 1U);
}

TEST_F(Recovery, in_doubt_a_room_ends_when_all_have_left) {
  const RoomNumber room = driver.open_room(4, {1});
  restart(false);
  EXPECT_TRUE(all<SignalProcess>(driver.pass(seconds{3600})).empty());
  EXPECT_EQ(all<SignalProcess>(driver.step(PlayerLeft{room, player(1)})).size(), 1U);
}

TEST_F(Recovery, in_doubt_an_empty_room_ends_and_one_that_starts_at_once) {
  driver.open_room();
  EXPECT_EQ(all<SignalProcess>(restart(false)).size(), 0U);
  EXPECT_EQ(all<SignalProcess>(driver.pass(seconds{60})).size(), 1U);
  driver.spawn(m1, ++driver.token, 4, {1});
  EXPECT_EQ(all<SignalProcess>(restart(false)).size(), 2U) << "the closed one once more";
}

TEST_F(Recovery, in_doubt_numbers_leave_a_gap) {
  const RoomNumber room = driver.open_room();
  restart(false);
  EXPECT_GT(driver.spawn(m1, ++driver.token).room.number.number(), room.number() + 1000);
}

TEST_F(Recovery, a_game_that_has_given_a_sign_of_life_is_held_to_it_and_has_its_whole_time_again) {
  const RoomNumber room = driver.open_room(4, {1});
  const RoomNumber quiet = driver.open_room(4, {2});
  const RoomNumber closed = driver.open_room(4);
  ASSERT_TRUE(driver.admits(room, 1) && driver.admits(quiet, 2));
  driver.batch();
  for (const RoomNumber well : {room, closed}) driver.step(GameHealthy{well});
  driver.step(ShutdownAsked{closed});
  driver.pass(seconds{14});
  restart();
  EXPECT_EQ(all<KillProcess>(driver.pass(seconds{5})).size(), 1U) << "the closed one, in its grace";
  EXPECT_TRUE(all<KillProcess>(driver.pass(milliseconds{9'999})).empty());
  const auto killed = all<KillProcess>(driver.pass(milliseconds{1}));
  ASSERT_EQ(killed.size(), 1U) << "it has hung since";
  EXPECT_EQ(killed[0].room, room);
  EXPECT_EQ(killed[0].reason, wire::CloseReason::unhealthy);
  EXPECT_TRUE(all<KillProcess>(driver.pass(seconds{600})).empty())
      << "the other never knew the call";
}

TEST_F(Recovery, a_game_that_goes_on_giving_signs_of_life_lives_through_every_restart) {
  const RoomNumber room = driver.open_room(4, {1});
  ASSERT_TRUE(driver.admits(room, 1));
  driver.step(GameHealthy{room});
  for (int run = 0; run < 3; ++run) {
    restart();
    for (int i = 0; i < 4; ++i) {
      EXPECT_TRUE(all<KillProcess>(driver.pass(seconds{10})).empty());
      driver.step(GameHealthy{room});
    }
  }
  EXPECT_EQ(all<KillProcess>(driver.pass(seconds{15})).size(), 1U);
}

TEST_F(Recovery, a_memory_of_more_seats_than_a_room_has_does_not_end_the_worker) {
  const RoomNumber room = driver.open_room(2, {1, 2});
  driver.batch();
  for (const Record& record : driver.host.take_records()) memory.apply(record);
  memory.apply(SeatRecord{.room = room, .player = player(3), .came = 9, .reservations = {}});
  driver.host = RoomHost{remembering(), driver.now};
  driver.step(Recovered{.memory = memory});
  ASSERT_EQ(driver.host.rooms().size(), 1U);
  EXPECT_EQ(driver.host.rooms()[0].players.size(), 2U);
}

// The one is of no mode any more, and so closed at once; the other closes later.
TEST_F(Recovery, a_memory_of_two_rooms_by_one_order_does_not_end_the_worker) {
  const RoomNumber room = driver.open_room(2);
  driver.batch();
  for (const Record& record : driver.host.take_records()) memory.apply(record);
  RoomRecord twin = memory.rooms.at(room).room;
  twin.room = RoomNumber{room.number() + 1};
  twin.mode = ModeName{"no more"};
  memory.apply(twin);
  const Duration remembered = remembering().promise_memory;
  driver.host = RoomHost{remembering(), driver.now};
  driver.step(Recovered{.memory = memory});
  driver.pass(remembered / 2);
  driver.step(ProcessExited{room, "exit code 0"});
  driver.pass(remembered * 3 / 4);
  EXPECT_TRUE(driver.host.rooms().empty());
  (void)driver.host.snapshot();
}

}  // namespace
}  // namespace fixkeep::worker
