// How orders of players get warm rooms, and what a master makes of a room that has changed its
// group.
#include <gtest/gtest.h>

#include "tests/unit/master/core/lone_master.hpp"

namespace fixkeep::master {
namespace {

using std::chrono::seconds;

const GroupKey pool_of_two{"*duel/2"};

wire::RoomInfo warm(std::uint32_t number, wire::RoomPhase phase = wire::RoomPhase::open) {
  wire::RoomInfo room = fixkeep::master::open_room(number, 2);
  room.group = pool_of_two;
  room.phase = phase;
  room.creation.token = {number, MasterId{2}};
  return room;
}

wire::RoomInfo group_room() {
  return fixkeep::master::open_room(1, 2);
}

const wire::SpawnRoom& order_of(const LoneMaster::Sent& sent) {
  return std::get<wire::SpawnRoom>(sent.message);
}

struct WarmOrders : testing::Test {
  WarmOrders() { master.capacity = 2; }
  LoneMaster master;
};

TEST_F(WarmOrders, a_worker_with_an_open_warm_room_is_preferred) {
  master.connect("w1", 5, 10);
  master.connect("w2", 6, 3, {warm(1)});
  master.connect("w3", 7, 10, {warm(1, wire::RoomPhase::starting)});
  master.match(1);
  master.grant();
  const auto orders = master.orders();
  ASSERT_EQ(orders.size(), 1U);
  EXPECT_EQ(orders[0].worker.text(), "w2");
  EXPECT_TRUE(order_of(orders[0]).only_warm);
}

TEST_F(WarmOrders, then_one_where_a_warm_room_starts) {
  master.connect("w1", 5, 10);
  master.connect("w3", 7, 3, {warm(1, wire::RoomPhase::starting)});
  master.match(1);
  master.grant();
  const auto orders = master.orders();
  ASSERT_EQ(orders.size(), 1U);
  EXPECT_EQ(orders[0].worker.text(), "w3");
  EXPECT_FALSE(order_of(orders[0]).only_warm);
}

TEST_F(WarmOrders, rooms_of_another_capacity_do_not_count) {
  master.capacity = 3;
  master.connect("w1", 5, 0, {warm(1)});
  master.match(1);
  EXPECT_EQ(master.asked_of_lock<AcquireLock>(), 0U);
}

TEST_F(WarmOrders, a_worker_without_headroom_is_ordered_of_for_its_warm_room) {
  master.connect("w1", 5, 0, {warm(1)});
  master.match(1);
  master.grant();
  EXPECT_EQ(master.orders().size(), 1U);
}

TEST_F(WarmOrders, two_groups_are_not_sent_for_one_warm_room) {
  master.connect("w1", 5, 10, {warm(1)});
  master.connect("w2", 6, 10, {warm(1)});
  master.match(1, "g");
  master.match(2, "h");
  master.grant({}, "g");
  master.grant({}, "h");
  const auto orders = master.orders();
  ASSERT_EQ(orders.size(), 2U);
  EXPECT_NE(orders[0].worker, orders[1].worker);
}

TEST_F(WarmOrders, where_none_is_left_the_next_worker_is_asked_and_then_for_a_new_room) {
  master.connect("w1", 5, 10, {warm(1)});
  master.connect("w2", 6, 10, {warm(1)});
  master.match(1);
  master.grant();
  const auto first = master.orders();
  ASSERT_EQ(first.size(), 1U);
  EXPECT_FALSE(master.given_back().has_value()) << "others would wait for a room that may not come";
  master.refuse(first[0], wire::SpawnOutcome::no_warm_room, 10);
  const auto second = master.orders();
  ASSERT_EQ(second.size(), 1U);
  EXPECT_NE(second[0].worker, first[0].worker);
  EXPECT_TRUE(order_of(second[0]).only_warm);
  EXPECT_GT(order_of(second[0]).creation.index, order_of(first[0]).creation.index);
  master.refuse(second[0], wire::SpawnOutcome::no_warm_room, 10);
  const auto third = master.orders();
  ASSERT_EQ(third.size(), 1U);
  EXPECT_FALSE(order_of(third[0]).only_warm);
  master.accept(third[0], 9);
  EXPECT_TRUE(master.given_back().has_value());
}

TEST_F(WarmOrders, a_claim_that_waits_for_capacity_gets_the_warm_room_that_comes) {
  master.connect("w1", 5, 0);
  master.match(1);
  EXPECT_EQ(master.asked_of_lock<AcquireLock>(), 0U);
  wire::RoomsChanged news;
  news.opened = {warm(1)};
  master.say("w1", news);
  EXPECT_EQ(master.asked_of_lock<AcquireLock>(), 1U);
}

// --- a room that changes its group -------------------------------------------------------------

TEST_F(WarmOrders, a_room_that_a_lock_value_names_is_no_longer_warm) {
  master.connect("w1", 5, 0, {warm(1)});
  master.match(1);
  master.grant({{{WorkerId{"w1"}, Incarnation{5}, RoomNumber{1}}, ModeName{"duel"}, 2, 1, {}}});
  EXPECT_TRUE(master.orders().empty());
  EXPECT_EQ(master.take<wire::SeatRequest>().size(), 1U);
  EXPECT_TRUE(master.matchmaker().directory().rooms_of(pool_of_two).empty());
}

TEST_F(WarmOrders, older_news_of_the_warm_room_do_not_take_it_from_its_group) {
  master.connect("w1", 5, 0, {warm(1, wire::RoomPhase::starting)});
  master.match(1);
  master.grant({{{WorkerId{"w1"}, Incarnation{5}, RoomNumber{1}}, ModeName{"duel"}, 2, 1, {}}});
  wire::RoomsChanged news;
  news.newest_room = RoomNumber{4};
  news.opened = {warm(1)};
  master.say("w1", news);
  const Directory& directory = master.matchmaker().directory();
  ASSERT_EQ(directory.rooms_of(GroupKey{"g"}).size(), 1U);
  EXPECT_EQ(directory.find(*directory.rooms_of(GroupKey{"g"}).begin())->phase,
            wire::RoomPhase::open);
  EXPECT_TRUE(directory.has_shown(WorkerId{"w1"}, pool_of_two, warm(1).creation));
}

TEST_F(WarmOrders, a_pool_that_was_given_a_room_away_does_not_wait_for_it) {
  master.connect("w1", 5, 10, {warm(1)});
  wire::RoomsChanged news;
  news.headroom = 10;
  news.opened = {warm(1)};
  news.opened[0].group = GroupKey{"g"};
  news.opened[0].creation.token = {9, MasterId{3}};
  master.say("w1", news);
  const Directory& directory = master.matchmaker().directory();
  EXPECT_TRUE(directory.has_shown(WorkerId{"w1"}, pool_of_two, warm(1).creation));
  EXPECT_TRUE(directory.has_shown(WorkerId{"w1"}, GroupKey{"g"}, news.opened[0].creation));
}

TEST_F(WarmOrders, the_end_of_an_order_of_the_pool_does_not_close_the_room_of_the_group) {
  wire::RoomInfo given = warm(1);
  given.group = GroupKey{"g"};
  master.connect("w1", 5, 10, {given});
  wire::RoomsChanged news;
  news.headroom = 10;
  news.opened = {warm(1, wire::RoomPhase::closed)};
  master.say("w1", news);
  EXPECT_EQ(master.matchmaker().directory().rooms_of(GroupKey{"g"}).size(), 1U);
}

TEST_F(WarmOrders, a_worker_that_moves_a_room_from_group_to_group_contradicts_itself) {
  master.connect("w1", 5, 10, {group_room()});
  wire::RoomsChanged news;
  news.headroom = 10;
  news.opened = {group_room()};
  news.opened[0].group = GroupKey{"h"};
  master.say("w1", news);
  EXPECT_EQ(master.matchmaker().directory().find(WorkerId{"w1"}), nullptr);
}

}  // namespace
}  // namespace fixkeep::master
