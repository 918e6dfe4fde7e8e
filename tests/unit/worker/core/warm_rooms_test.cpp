// Rooms without a group: made for a pool, given once, closed when nobody wants them.
#include <gtest/gtest.h>

#include "tests/unit/worker/core/host_driver.hpp"

namespace fixkeep::worker {
namespace {

using wire::RoomPhase;
using wire::SpawnOutcome;

const GroupKey pool = wire::warm_pool_of(ModeName{"duel"}, 4);

struct WarmRooms : testing::Test {
  WarmRooms() {
    for (const MasterId master : {m1, m2}) driver.step(MasterConnected{master});
    driver.say(m1, wire::KeepWarm{{pool}});
  }

  RoomNumber warm_room(bool open = true) {
    const auto reply = driver.spawn(m1, ++driver.token, 4, {}, pool);
    EXPECT_EQ(reply.outcome, SpawnOutcome::accepted);
    if (open) driver.step(ProcessReady{reply.room.number});
    driver.batch();
    return reply.room.number;
  }
  // An order for players that may only be given a warm room that is open.
  wire::SpawnReply order_warm(std::uint64_t counter) {
    wire::SpawnRoom order;
    order.request = ++driver.request;
    order.group = duel;
    order.mode = ModeName{"duel"};
    order.creation.token = {counter, m1};
    order.capacity = 4;
    order.claims = claims({1});
    order.only_warm = true;
    return Driver::last<wire::SpawnReply>(driver.say(m1, order));
  }
  Actions close_warm(RoomNumber room, FencingToken token) {
    Actions out = driver.say(m1, wire::CloseWarmRoom{pool, room, {token, 0, {}}, token});
    for (Action& action : driver.batch()) out.push_back(std::move(action));
    return out;
  }
  wire::RoomInfo info(RoomNumber number) {
    for (const auto& room : driver.host.rooms()) {
      if (room.number == number) return room;
    }
    return {};
  }
  void expect_all_masters_know() {
    driver.batch();
    for (const auto& [id, master] : driver.masters) {
      EXPECT_EQ(master.rooms, truth_of(driver.host)) << to_string(id);
    }
  }

  Driver driver;
};

TEST_F(WarmRooms, a_room_that_is_made_or_given_names_the_request_that_was_the_cause) {
  const wire::RequestContext traced{"r2", TraceContext{{1, 2}, 3, true}};
  wire::SpawnRoom order;
  order.request = ++driver.request;
  order.group = duel;
  order.mode = ModeName{"duel"};
  order.creation.token = {++driver.token, m1};
  order.capacity = 4;
  order.claims = {{player(1), {}, {"r1", {}}}, {player(2), {}, traced}};
  const auto cause_in = [](const Actions& actions) {
    std::vector<wire::RequestContext> causes;
    for (const Action& action : actions) {
      if (const auto* started = std::get_if<StartProcess>(&action))
        causes.push_back(started->cause);
      if (const auto* given = std::get_if<RoomGiven>(&action)) causes.push_back(given->cause);
    }
    EXPECT_EQ(causes.size(), 1U);
    return causes.empty() ? wire::RequestContext{} : causes[0];
  };
  EXPECT_EQ(cause_in(driver.say(m1, order)), traced) << "the first one with a trace";

  warm_room();
  order.request = ++driver.request;
  order.creation.token = {++driver.token, m1};
  order.claims = {{player(3), {}, {"r3", {}}}, {player(4), {}, {"r4", {}}}};
  EXPECT_EQ(cause_in(driver.say(m1, order)).request_id, "r3") << "else the first one";
}

TEST_F(WarmRooms, an_order_of_players_is_given_the_open_room_with_their_seats) {
  const RoomNumber room = warm_room();
  const Actions out =
      driver.say(m2, wire::SpawnRoom{.request = 1,
                                     .group = duel,
                                     .mode = ModeName{"duel"},
                                     .creation = {.token = {9, m2}, .index = 0, .orderer = {}},
                                     .basis = {},
                                     .capacity = 4,
                                     .claims = claims({1, 2})});
  const auto reply = Driver::last<wire::SpawnReply>(out);
  EXPECT_EQ(reply.outcome, SpawnOutcome::accepted);
  EXPECT_EQ(reply.room.number, room);
  EXPECT_EQ(reply.room.group, duel);
  EXPECT_EQ(reply.room.phase, RoomPhase::open);
  EXPECT_EQ(reply.room.creation.token, (FencingToken{9, m2}));
  EXPECT_EQ(reply.granted, (std::vector<std::uint32_t>{0, 1}));
  EXPECT_TRUE(all<StartProcess>(out).empty());
  const auto given = all<RoomGiven>(out);
  ASSERT_EQ(given.size(), 1U);
  EXPECT_EQ(given[0].room, room);
  EXPECT_EQ(given[0].group, duel);
  EXPECT_EQ(given[0].creation, reply.room.creation);
  expect_all_masters_know();
  EXPECT_TRUE(driver.admits(room, 1));
}

TEST_F(WarmRooms, a_room_is_given_once) {
  const RoomNumber room = warm_room();
  EXPECT_EQ(driver.spawn(m1, 8, 4, {1}).room.number, room);
  const auto other = driver.spawn(m2, 9, 4, {2}, brawl);
  EXPECT_EQ(other.outcome, SpawnOutcome::accepted);
  EXPECT_NE(other.room.number, room);
  EXPECT_EQ(info(room).group, duel);
}

TEST_F(WarmRooms, a_room_that_is_open_is_given_before_one_that_starts) {
  const RoomNumber starting = warm_room(false);
  const RoomNumber open = warm_room();
  EXPECT_EQ(driver.spawn(m1, 8, 4, {1}).room.number, open);
  const auto second = driver.spawn(m1, 9, 4, {2}, brawl);
  EXPECT_EQ(second.room.number, starting);
  EXPECT_EQ(second.room.phase, RoomPhase::starting);
  expect_all_masters_know();
  driver.step(ProcessReady{starting});
  expect_all_masters_know();
  EXPECT_EQ(info(starting).phase, RoomPhase::open);
}

TEST_F(WarmRooms, a_room_of_another_capacity_or_mode_is_not_given) {
  const RoomNumber room = warm_room();
  EXPECT_NE(driver.spawn(m1, 8, 2, {1}).room.number, room);
  EXPECT_NE(driver.spawn(m1, 9, 4, {1}, brawl, "brawl").room.number, room);
}

TEST_F(WarmRooms, an_order_for_a_warm_room_only_makes_no_room) {
  const RoomNumber starting = warm_room(false);
  EXPECT_EQ(order_warm(7).outcome, SpawnOutcome::no_warm_room);
  driver.step(ProcessReady{starting});
  EXPECT_EQ(order_warm(8).room.number, starting);
  EXPECT_EQ(order_warm(9).outcome, SpawnOutcome::no_warm_room);
  EXPECT_EQ(driver.host.rooms().size(), 1U);
}

TEST_F(WarmRooms, a_stale_order_is_given_nothing) {
  const RoomNumber room = warm_room();
  EXPECT_TRUE(driver.prepare(m2, 50).promised);
  EXPECT_EQ(driver.spawn(m1, 40, 4, {1}).outcome, SpawnOutcome::stale_token);
  EXPECT_EQ(info(room).group, pool);
}

TEST_F(WarmRooms, neither_order_makes_another_room_when_it_is_repeated) {
  const auto made = driver.spawn(m1, 3, 4, {}, pool);
  const RoomNumber room = made.room.number;
  driver.step(ProcessReady{room});
  EXPECT_EQ(driver.spawn(m1, 8, 4, {1}).room.number, room);
  EXPECT_EQ(driver.spawn(m1, 8, 4, {1}).room.number, room) << "the order that it was given to";
  const auto again = driver.spawn(m1, 3, 4, {}, pool);
  EXPECT_EQ(again.outcome, SpawnOutcome::accepted);
  EXPECT_EQ(again.room.number, room);
  EXPECT_EQ(again.room.group, pool) << "as far as the pool is concerned the room is gone";
  EXPECT_EQ(again.room.phase, RoomPhase::closed);
  EXPECT_EQ(driver.host.rooms().size(), 1U);
}

TEST_F(WarmRooms, masters_that_were_shown_the_warm_room_in_the_same_batch_are_told_of_its_group) {
  const auto made = driver.spawn(m1, 3, 4, {}, pool);
  EXPECT_EQ(driver.prepare(m2, 4, pool).rooms.size(), 1U);
  EXPECT_EQ(driver.spawn(m2, 8, 4, {1}).room.number, made.room.number);
  expect_all_masters_know();
}

TEST_F(WarmRooms, a_room_that_is_given_and_closed_in_one_batch_is_told_as_closed) {
  const RoomNumber room = warm_room();
  EXPECT_EQ(driver.spawn(m1, 8, 4, {1}).room.number, room);
  driver.step(ProcessExited{room, "signal 11"});
  expect_all_masters_know();
  EXPECT_TRUE(driver.host.rooms().empty());
}

TEST_F(WarmRooms, a_worker_at_its_limit_gives_the_room_that_it_has) {
  const RoomNumber room = warm_room();
  driver.spawn(m1, 8, 2, {1});
  driver.spawn(m1, 9, 2, {2});
  ASSERT_EQ(driver.host.headroom(), 0U);
  EXPECT_EQ(driver.spawn(m1, 10, 4, {3}, brawl).room.number, room);
}

TEST_F(WarmRooms, the_last_place_for_a_room_is_left_to_players) {
  warm_room();
  warm_room();
  ASSERT_EQ(driver.host.headroom(), 1U);
  EXPECT_EQ(driver.spawn(m1, 8, 4, {}, pool).outcome, SpawnOutcome::no_capacity);
  EXPECT_EQ(driver.spawn(m1, 9, 2, {1}).outcome, SpawnOutcome::accepted);
}

TEST_F(WarmRooms, a_warm_room_is_kept_for_as_long_as_a_connected_master_wants_it) {
  const RoomNumber room = warm_room();
  driver.pass(seconds{600});
  EXPECT_EQ(info(room).phase, RoomPhase::open);
  driver.say(m2, wire::KeepWarm{{pool}});
  driver.step(MasterDisconnected{m1});
  driver.pass(seconds{600});
  EXPECT_EQ(info(room).phase, RoomPhase::open) << "the other one wants it as well";
  driver.say(m2, wire::KeepWarm{{}});
  driver.pass(seconds{59});
  EXPECT_EQ(info(room).phase, RoomPhase::open);
  driver.pass(seconds{1});
  EXPECT_EQ(close_reason(driver.batch(), room), wire::CloseReason::empty);
}

TEST_F(WarmRooms, a_master_that_comes_back_in_time_keeps_the_room) {
  const RoomNumber room = warm_room();
  driver.step(MasterDisconnected{m1});
  driver.pass(seconds{30});
  driver.step(MasterConnected{m1});
  driver.say(m1, wire::KeepWarm{{pool}});
  driver.pass(seconds{600});
  EXPECT_EQ(info(room).phase, RoomPhase::open);
}

TEST_F(WarmRooms, a_new_connection_of_a_master_forgets_what_it_wanted) {
  const RoomNumber room = warm_room();
  driver.step(MasterConnected{m1});
  driver.pass(seconds{60});
  EXPECT_EQ(close_reason(driver.batch(), room), wire::CloseReason::empty);
}

TEST_F(WarmRooms, a_given_room_closes_when_it_stays_empty) {
  const RoomNumber room = warm_room();
  const auto reply = driver.spawn(m1, 8, 4, {1});
  driver.release(m1, room, reply.reservation, {1});
  driver.pass(seconds{60});
  EXPECT_EQ(close_reason(driver.batch(), room), wire::CloseReason::empty);
}

TEST_F(WarmRooms, one_that_does_not_become_ready_is_a_failed_boot) {
  const RoomNumber room = warm_room(false);
  driver.pass(seconds{30});
  EXPECT_EQ(close_reason(driver.batch(), room), wire::CloseReason::boot_timeout);
}

TEST_F(WarmRooms, a_master_closes_one_of_too_many) {
  const RoomNumber room = warm_room();
  const Actions out = close_warm(room, {20, m1});
  EXPECT_EQ(close_reason(out, room), wire::CloseReason::empty);
  EXPECT_EQ(all<SignalProcess>(out).size(), 1U);
}

TEST_F(WarmRooms, a_stale_order_to_close_one_is_refused) {
  const RoomNumber room = warm_room();
  EXPECT_TRUE(driver.prepare(m2, 50, pool).promised);
  close_warm(room, {20, m1});
  EXPECT_EQ(info(room).phase, RoomPhase::open);
  EXPECT_EQ(driver.host.counters().spawns_refused_stale, 1U);
}

TEST_F(WarmRooms, a_room_that_was_given_away_meanwhile_is_not_closed) {
  const RoomNumber room = warm_room();
  EXPECT_EQ(driver.spawn(m2, 8, 4, {1}).room.number, room);
  close_warm(room, {20, m1});
  EXPECT_EQ(info(room).phase, RoomPhase::open);
}

TEST_F(WarmRooms, seats_of_a_warm_room_are_not_to_be_had) {
  const RoomNumber room = warm_room();
  EXPECT_TRUE(driver.seats(m1, room, claims({1})).granted.empty());
  EXPECT_TRUE(info(room).players.empty());
}

TEST(WarmMode, a_mode_whose_game_must_know_its_group_is_never_warm_and_says_so_once) {
  RoomHostOptions options = small_options();
  options.modes[0].needs_group = true;
  Driver driver{options};
  driver.step(MasterConnected{m1});
  std::size_t told = 0;
  for (std::uint64_t counter = 1; counter <= 3; ++counter) {
    wire::SpawnRoom order;
    order.request = counter;
    order.group = pool;
    order.mode = ModeName{"duel"};
    order.creation.token = {counter, m1};
    order.capacity = 4;
    const Actions out = driver.say(m1, order);
    EXPECT_EQ(Driver::last<wire::SpawnReply>(out).outcome, SpawnOutcome::never_warm);
    told += all<NeverWarm>(out).size();
  }
  EXPECT_EQ(told, 1U);
  EXPECT_EQ(driver.spawn(m1, 9, 4, {1}).outcome, SpawnOutcome::accepted);
}

}  // namespace
}  // namespace fixkeep::worker
