#include <gtest/gtest.h>

#include "common/wire/codec.hpp"
#include "tests/unit/worker/core/host_driver.hpp"

namespace fixkeep::worker {
namespace {

using wire::CloseReason;
using wire::RoomPhase;
using wire::SpawnOutcome;

struct RoomHostTest : testing::Test {
  RoomHostTest() {
    driver.step(MasterConnected{m1});
    driver.step(MasterConnected{m2});
  }
  Driver driver;
};

TEST_F(RoomHostTest, a_room_is_born_with_its_first_players) {
  driver.places = false;
  const auto reply = driver.spawn(m1, 1, 2, {1, 2, 3});
  EXPECT_EQ(reply.outcome, SpawnOutcome::accepted);
  EXPECT_EQ(reply.granted, (std::vector<std::uint32_t>{0, 1}));
  EXPECT_EQ(reply.room.phase, RoomPhase::starting);
  EXPECT_EQ(reply.room.players.size(), 2U);
  EXPECT_EQ(reply.headroom, 2U);
  const auto sent = all<SendToMaster>(driver.batch());
  ASSERT_EQ(sent.size(), 1U) << "the orderer knows it all from its reply";
  EXPECT_EQ(sent[0].master, m2);
}

TEST_F(RoomHostTest, a_party_gets_all_its_seats_or_none) {
  const auto room = driver.open_room(3, {1});
  const auto reply = driver.seats(m1, room,
                                  {{.player = player(2), .party = {player(3), player(4)}},
                                   {.player = player(5), .party = {player(6)}}});
  EXPECT_EQ(reply.granted, (std::vector<std::uint32_t>{1}));
  EXPECT_EQ(reply.seated.size(), 2U);
}

TEST_F(RoomHostTest, a_player_who_has_a_seat_keeps_it_and_is_not_seated_again) {
  const auto room = driver.open_room(1, {1});
  const auto reply = driver.seats(m2, room, claims({1, 2}));
  EXPECT_EQ(reply.granted, (std::vector<std::uint32_t>{0}));
  EXPECT_TRUE(reply.seated.empty());
}

TEST_F(RoomHostTest, only_a_player_with_a_seat_is_admitted_and_may_come_back) {
  const auto room = driver.open_room(2, {1});
  EXPECT_FALSE(driver.admits(room, 2));
  EXPECT_TRUE(driver.admits(room, 1));
  driver.pass(seconds{60});
  EXPECT_TRUE(driver.admits(room, 1));
  EXPECT_EQ(driver.host.rooms().at(0).occupied, 1U) << "on another connection";
  driver.step(PlayerLeft{room, player(1)});
  EXPECT_FALSE(driver.admits(room, 1));
  EXPECT_FALSE(driver.admits(RoomNumber{99}, 1));
}

TEST_F(RoomHostTest, the_same_order_twice_is_one_room_even_after_it_has_closed) {
  const auto first = driver.spawn(m1, 1, 2, {1});
  const auto again = driver.spawn(m1, 1, 2, {1});
  EXPECT_EQ(again.outcome, SpawnOutcome::accepted);
  EXPECT_EQ(again.room.number, first.room.number);
  EXPECT_EQ(again.granted, first.granted);
  driver.step(ProcessExited{first.room.number, "exit code 3"});
  driver.batch();
  const auto late = driver.spawn(m1, 1, 2, {1});
  EXPECT_EQ(late.outcome, SpawnOutcome::accepted);
  EXPECT_EQ(late.room.phase, RoomPhase::closed);
  EXPECT_TRUE(late.granted.empty());
  EXPECT_EQ(driver.host.counters().rooms_started, 1U);
}

// Until its process has ended the worker keeps the room.
TEST_F(RoomHostTest, an_order_repeated_while_its_room_closes_seats_nobody) {
  const auto first = driver.spawn(m1, 1, 2, {1});
  driver.step(ShutdownAsked{first.room.number});
  const auto again = driver.spawn(m1, 1, 2, {1, 2});
  EXPECT_EQ(again.room.number, first.room.number);
  EXPECT_EQ(again.room.phase, RoomPhase::closed);
  EXPECT_TRUE(again.granted.empty());
}

TEST_F(RoomHostTest, a_promise_refuses_lower_tokens_and_shows_the_rooms_of_the_group) {
  const auto room = driver.open_room(2, {1});
  const auto promise = driver.prepare(m2, 5);
  EXPECT_TRUE(promise.promised);
  ASSERT_EQ(promise.rooms.size(), 1U);
  EXPECT_EQ(promise.rooms[0].number, room);
  const auto refused = driver.prepare(m1, 5);
  EXPECT_FALSE(refused.promised);
  EXPECT_EQ(refused.highest, (FencingToken{5, m2}));
  driver.basis = {4, m1};
  const auto stale = driver.spawn(m1, 4);
  EXPECT_EQ(stale.outcome, SpawnOutcome::stale_token);
  EXPECT_EQ(stale.highest, (FencingToken{5, m2}));
}

// 15 full rooms are more than one frame may hold; the news about those left out still come.
TEST(RoomHostLimits, a_promise_shows_free_seats_first_and_no_more_than_fits_a_frame) {
  constexpr std::uint32_t seats = 10'000;
  auto options = small_options();
  options.room_limit = 20;
  Driver driver{options};
  driver.step(MasterConnected{m1});
  driver.step(MasterConnected{m2});
  const auto fill_room = [&] {
    const auto room = driver.spawn(m1, ++driver.token, seats).room.number;
    std::vector<wire::Claim> wanted(seats);
    for (std::uint32_t i = 0; i < seats; ++i) {
      wanted[i].player = player(static_cast<int>(room.number() * seats + i));
    }
    EXPECT_EQ(driver.seats(m1, room, std::move(wanted)).granted.size(), seats);
  };
  for (int i = 0; i < 13; ++i) fill_room();
  driver.batch();
  fill_room();
  fill_room();
  const auto with_seats = driver.spawn(m1, ++driver.token, seats, {1}).room.number;

  const auto reply = driver.prepare(m2, ++driver.token);
  EXPECT_TRUE(reply.promised);
  ASSERT_EQ(reply.rooms.size(), 12U);
  EXPECT_EQ(reply.rooms[0].number, with_seats);
  EXPECT_EQ(reply.rooms[1].number, RoomNumber{14}) << "not told of yet";
  EXPECT_EQ(reply.rooms[2].number, RoomNumber{15});
  EXPECT_EQ(reply.rooms[3].number, RoomNumber{1});
  std::string frame;
  wire::append_frame(reply, frame);
  EXPECT_LT(frame.size(), 2U << 20U);
  driver.batch();
  EXPECT_EQ(driver.masters[m2].rooms, truth_of(driver.host));
}

TEST_F(RoomHostTest, an_order_that_does_not_know_of_the_newest_fence_is_refused) {
  ASSERT_TRUE(driver.prepare(m2, 5).promised);
  EXPECT_EQ(driver.spawn(m1, 9).outcome, SpawnOutcome::stale_token) << "a higher token, unfenced";
  driver.basis = {5, m2};
  EXPECT_EQ(driver.spawn(m1, 9).outcome, SpawnOutcome::accepted);
  EXPECT_EQ(driver.spawn(m1, 3, 2, {}, brawl).outcome, SpawnOutcome::accepted) << "another group";
}

TEST_F(RoomHostTest, a_token_is_promised_once_and_only_if_it_is_new) {
  ASSERT_TRUE(driver.prepare(m1, 5).promised);
  const auto again = driver.prepare(m1, 5);
  EXPECT_FALSE(again.promised) << "another hold that got the same token";
  EXPECT_EQ(again.highest, (FencingToken{5, m1}));
  driver.basis = {5, m1};
  ASSERT_EQ(driver.spawn(m1, 6).outcome, SpawnOutcome::accepted);
  EXPECT_FALSE(driver.prepare(m1, 6).promised) << "an order has used it";
}

TEST_F(RoomHostTest, a_token_of_another_run_of_its_master_is_refused) {
  const auto order = [&](std::uint32_t index, std::uint64_t run) {
    const CreationId creation{{5, m1}, index, Incarnation{run}};
    return Driver::last<wire::SpawnReply>(
        driver.say(m1, wire::SpawnRoom{.request = ++driver.request,
                                       .group = duel,
                                       .mode = ModeName{"duel"},
                                       .creation = creation,
                                       .basis = driver.basis,
                                       .capacity = 2,
                                       .claims = {}}));
  };
  EXPECT_EQ(order(0, 1).outcome, SpawnOutcome::accepted);
  EXPECT_EQ(order(1, 1).outcome, SpawnOutcome::accepted) << "the same hold, another room";
  const auto other = order(2, 2);
  EXPECT_EQ(other.outcome, SpawnOutcome::stale_token);
  EXPECT_EQ(other.highest, (FencingToken{5, m1}));
  EXPECT_EQ(order(0, 1).room.number, RoomNumber{1}) << "a repetition finds its room";
}

TEST_F(RoomHostTest, tokens_of_groups_that_were_forgotten_stay_used) {
  ASSERT_TRUE(driver.prepare(m1, 5).promised);
  driver.pass(std::chrono::minutes{10});
  EXPECT_FALSE(driver.prepare(m1, 5).promised);
  driver.basis = {5, m1};
  EXPECT_EQ(driver.spawn(m1, 5).outcome, SpawnOutcome::stale_token);
  EXPECT_FALSE(driver.prepare(m1, 5, brawl).promised) << "one floor for all groups";
  EXPECT_TRUE(driver.prepare(m1, 6).promised);
}

TEST_F(RoomHostTest, a_master_hears_of_the_highest_counter_ever_seen_when_it_connects) {
  const auto told = [&] {
    return Driver::last<wire::WorkerState>(driver.step(MasterConnected{m2})).highest_counter;
  };
  EXPECT_EQ(told(), 0U);
  ASSERT_TRUE(driver.prepare(m1, 7).promised);
  ASSERT_TRUE(driver.prepare(m1, 5, brawl).promised);
  EXPECT_EQ(told(), 7U);
  driver.basis = {5, m1};
  driver.spawn(m1, 9, 2, {}, brawl);
  driver.pass(std::chrono::minutes{30});
  EXPECT_EQ(told(), 9U);
}

TEST_F(RoomHostTest, idle_groups_without_rooms_are_forgotten_but_for_the_floor) {
  ASSERT_TRUE(driver.prepare(m1, 5).promised);
  driver.pass(std::chrono::minutes{10});
  EXPECT_EQ(driver.host.promised(brawl), (FencingToken{5, m1}));
  driver.basis = {6, m1};
  driver.spawn(m1, 6);
  driver.step(ProcessReady{RoomNumber{1}});
  driver.seats(m1, RoomNumber{1}, claims({1}));
  ASSERT_TRUE(driver.admits(RoomNumber{1}, 1));
  driver.pass(std::chrono::minutes{10});
  EXPECT_EQ(driver.host.promised(duel), (FencingToken{6, m1}));
}

TEST_F(RoomHostTest, a_room_that_does_not_boot_in_time_has_failed_and_is_killed) {
  const auto room = driver.spawn(m1, 1).room.number;
  driver.batch();
  EXPECT_TRUE(all<KillProcess>(driver.pass(seconds{29})).empty());
  EXPECT_EQ(all<KillProcess>(driver.pass(seconds{1})).size(), 1U);
  EXPECT_EQ(close_reason(driver.batch(), room), CloseReason::boot_timeout);
}

TEST_F(RoomHostTest, a_process_that_ends_early_has_failed_to_boot_and_later_it_has_crashed) {
  const auto early = driver.spawn(m1, ++driver.token).room.number;
  driver.batch();
  driver.step(ProcessExited{early, "exit code 3"});
  EXPECT_EQ(close_reason(driver.batch(), early), CloseReason::boot_failed);
  const auto later = driver.open_room();
  driver.step(ProcessExited{later, "signal SIGSEGV"});
  EXPECT_EQ(close_reason(driver.batch(), later), CloseReason::crashed);
}

TEST_F(RoomHostTest, closed_rooms_are_counted_by_mode_and_reason_from_zero_on) {
  const auto count = [&](const char* mode, CloseReason reason) {
    return driver.host.closed_rooms().at({ModeName{mode}, reason});
  };
  EXPECT_EQ(count("duel", CloseReason::boot_timeout), 0U);
  driver.spawn(m1, ++driver.token, 4, {1});
  driver.pass(seconds{30});
  driver.step(ProcessExited{driver.open_room(), "signal SIGSEGV"});
  EXPECT_EQ(count("duel", CloseReason::boot_timeout), 1U);
  EXPECT_EQ(count("duel", CloseReason::crashed), 1U);
  EXPECT_EQ(count("duel", CloseReason::boot_failed), 0U);
  EXPECT_EQ(count("brawl", CloseReason::crashed), 0U);
  EXPECT_EQ(driver.host.closed_rooms().size(), 2U * 8U);
}

TEST_F(RoomHostTest, an_empty_room_closes_in_time_with_signal_grace_and_kill) {
  const auto room = driver.open_room();
  const Actions out = driver.pass(seconds{60});
  ASSERT_EQ(all<SignalProcess>(out).size(), 1U);
  EXPECT_EQ(close_reason(driver.batch(), room), CloseReason::empty);
  EXPECT_EQ(driver.host.headroom(), 2U) << "its process is still there";
  EXPECT_EQ(all<KillProcess>(driver.pass(seconds{5})).size(), 1U);
  driver.step(ProcessExited{room, "signal SIGKILL"});
  EXPECT_EQ(driver.host.headroom(), 3U);
}

TEST_F(RoomHostTest, a_seat_taken_stops_the_clock_of_an_empty_room) {
  const auto room = driver.open_room();
  driver.pass(seconds{9});
  driver.seats(m1, room, claims({1}));
  ASSERT_TRUE(driver.admits(room, 1));
  EXPECT_TRUE(all<SignalProcess>(driver.pass(seconds{120})).empty());
  driver.step(PlayerLeft{room, player(1)});
  EXPECT_TRUE(all<SignalProcess>(driver.pass(seconds{59})).empty());
  EXPECT_EQ(all<SignalProcess>(driver.pass(seconds{1})).size(), 1U);
}

TEST_F(RoomHostTest, a_silent_game_is_killed_and_one_that_asks_is_shut_down) {
  const auto silent = driver.open_room(4, {1});
  ASSERT_TRUE(driver.admits(silent, 1));
  driver.step(GameHealthy{silent});
  EXPECT_EQ(all<KillProcess>(driver.pass(seconds{15})).size(), 1U);
  EXPECT_EQ(close_reason(driver.batch(), silent), CloseReason::unhealthy);
  const auto done = driver.open_room();
  EXPECT_EQ(all<SignalProcess>(driver.step(ShutdownAsked{done})).size(), 1U);
  EXPECT_EQ(close_reason(driver.batch(), done), CloseReason::shut_down);
}

TEST_F(RoomHostTest, limits_refuse_a_room_and_say_so) {
  for (int i = 0; i < 3; ++i) driver.open_room();
  EXPECT_EQ(driver.host.headroom(), 0U);
  EXPECT_EQ(driver.spawn(m1, 50).outcome, SpawnOutcome::no_capacity);
  EXPECT_EQ(driver.spawn(m1, 51, 2, {}, duel, "chess").outcome, SpawnOutcome::unknown_mode);
}

TEST_F(RoomHostTest, memory_is_a_limit_too) {
  auto options = small_options();
  options.memory_mib = 100;
  options.modes[0].memory_mib = 60;
  Driver tight{options};
  tight.step(MasterConnected{m1});
  EXPECT_EQ(tight.host.headroom(), 1U);
  const auto room = tight.open_room();
  EXPECT_EQ(tight.host.headroom(), 0U);
  EXPECT_EQ(tight.spawn(m1, 50).outcome, SpawnOutcome::no_capacity);
  tight.step(ProcessExited{room, "exit code 0"});
  EXPECT_EQ(tight.host.headroom(), 1U);
}

TEST_F(RoomHostTest, what_happens_to_a_room_between_two_batches_is_told_in_one_piece) {
  const auto room = driver.open_room(4);
  driver.seats(m1, room, claims({1}));
  driver.seats(m1, room, claims({2}));
  const auto sent = all<SendToMaster>(driver.batch());
  ASSERT_EQ(sent.size(), 1U) << "the other master knows it from its replies";
  EXPECT_EQ(sent[0].master, m2);
  EXPECT_EQ(std::get<wire::RoomsChanged>(sent[0].message).changed.size(), 1U);
}

TEST_F(RoomHostTest, an_answer_has_its_order_beside_it_and_news_have_none) {
  const auto room = driver.open_room(4);
  const wire::SeatRequest asked{.request = 9, .room = room, .claims = claims({1})};
  const auto seats = all<SendToMaster>(driver.say(m1, asked));
  ASSERT_EQ(seats.size(), 1U);
  EXPECT_EQ(seats[0].answered, wire::Order{asked});
  const wire::SpawnRoom order{.request = 10,
                              .group = brawl,
                              .mode = ModeName{"brawl"},
                              .creation = {.token = {90, m1}, .index = 0, .orderer = {}},
                              .capacity = 2,
                              .claims = claims({2, 3})};
  for (const char* what : {"it is carried out", "it is repeated"}) {
    const auto made = all<SendToMaster>(driver.say(m1, order));
    ASSERT_EQ(made.size(), 1U) << what;
    EXPECT_EQ(made[0].answered, wire::Order{order}) << what;
  }
  for (const auto& news : all<SendToMaster>(driver.batch())) EXPECT_FALSE(news.answered);
  EXPECT_TRUE(
      driver.say(m1, wire::ReleaseSeats{.room = room, .players = {}, .reservation = {}}).empty());
}

TEST_F(RoomHostTest, a_new_connection_begins_with_everything) {
  driver.open_room(4, {1, 2});
  const auto sent = all<SendToMaster>(driver.step(MasterConnected{MasterId{3}}));
  ASSERT_EQ(sent.size(), 1U);
  const auto& state = std::get<wire::WorkerState>(sent[0].message);
  EXPECT_EQ(state.rooms.size(), 1U);
  EXPECT_EQ(state.newest_room, RoomNumber{1});
  EXPECT_EQ(state.modes.known.size(), 2U);
  EXPECT_TRUE(driver.batch().empty());
}

TEST_F(RoomHostTest,
       a_new_connection_is_told_where_the_worker_is_and_where_the_way_to_it_is_measured) {
  auto options = small_options();
  options.ping_port = 20'999;
  Driver pinged{options};
  const auto state = Driver::last<wire::WorkerState>(pinged.step(MasterConnected{m1}));
  EXPECT_EQ(state.zone, options.zone);
  EXPECT_EQ(state.address, options.address);
  EXPECT_EQ(state.ping_port, options.ping_port);
}

TEST_F(RoomHostTest, a_state_too_large_for_one_frame_goes_on_as_news) {
  auto options = small_options();
  options.room_limit = 20;
  Driver large{options};
  large.step(MasterConnected{m1});
  for (std::uint64_t i = 1; i <= 20; ++i) {
    const auto room = large.spawn(m1, i, 10'000).room.number;
    std::vector<wire::Claim> all_seats(10'000);
    for (int p = 0; p < 10'000; ++p) all_seats[static_cast<std::size_t>(p)].player = player(p);
    large.seats(m1, room, std::move(all_seats));
  }
  large.batch();
  EXPECT_GT(all<SendToMaster>(large.step(MasterConnected{m2})).size(), 1U);
  EXPECT_EQ(large.masters[m2].rooms, truth_of(large.host));
}

}  // namespace
}  // namespace fixkeep::worker
