// A master gives the lock on before its orders are answered: what it says of them, and what the
// next holder makes of it.
#include <gtest/gtest.h>

#include "tests/unit/master/core/lone_master.hpp"

namespace fixkeep::master {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

const CreationId order_of_another{{7, MasterId{2}}, 0, Incarnation{200}};

// One free seat of a room that another master has ordered of w1.
wire::RoomHint ordered_room() {
  return {{WorkerId{"w1"}, Incarnation{5}, {}}, ModeName{"duel"}, 2, 1, order_of_another};
}

struct EarlyRelease : testing::Test {
  EarlyRelease() {
    master.capacity = 2;
    master.connect("w1", 5);
    master.connect("w2", 6);
  }
  void show_room() {
    wire::RoomsChanged news;
    news.headroom = 9;
    news.opened = {open_room(1, 2)};
    news.opened[0].creation = order_of_another;
    news.opened[0].players = {hash_of(PlayerId{"somebody"})};
    master.say("w1", news);
  }

  LoneMaster master;
};

TEST_F(EarlyRelease, the_lock_value_names_the_orders) {
  master.match(1);
  master.grant();
  const auto orders = master.orders();
  ASSERT_EQ(orders.size(), 1U);
  const auto back = master.given_back();
  ASSERT_TRUE(back.has_value());
  EXPECT_FALSE(back->uncertain);
  ASSERT_EQ(back->hints.size(), 1U);
  EXPECT_EQ(back->hints[0].room.worker, orders[0].worker);
  EXPECT_EQ(back->hints[0].free, 1U);
  EXPECT_EQ(back->hints[0].ordered, std::get<wire::SpawnRoom>(orders[0].message).creation);
}

TEST_F(EarlyRelease, claims_that_may_fit_a_room_that_is_ordered_wait_for_it) {
  for (std::uint64_t ticket = 1; ticket <= 3; ++ticket) master.match(ticket);
  master.grant({ordered_room()});
  const auto orders = master.orders();
  ASSERT_EQ(orders.size(), 1U);
  EXPECT_EQ(std::get<wire::SpawnRoom>(orders[0].message).claims.size(), 2U);
  EXPECT_EQ(master.given_back()->hints.front().ordered, order_of_another);  // it is passed on
  show_room();
  EXPECT_EQ(master.take<wire::SeatRequest>().size(), 1U);
}

TEST_F(EarlyRelease, a_room_that_does_not_come_is_fenced_before_an_order) {
  master.match(1);
  master.grant({ordered_room()});
  EXPECT_TRUE(master.orders().empty());
  EXPECT_EQ(master.asked_of_lock<ReleaseLock>(), 1U);
  EXPECT_EQ(master.asked_of_lock<AcquireLock>(), 1U);
  master.pass(milliseconds{1900});
  EXPECT_EQ(master.asked_of_lock<AcquireLock>(), 0U);
  master.pass(milliseconds{100});
  EXPECT_EQ(master.asked_of_lock<AcquireLock>(), 1U);
  master.grant({ordered_room()});
  EXPECT_TRUE(master.orders().empty());
  const auto fence = master.take<wire::PrepareSpawn>();
  ASSERT_EQ(fence.size(), 2U);
  for (const auto& question : fence) master.promise(question);
  EXPECT_EQ(master.orders().size(), 1U);
  EXPECT_EQ(master.given_back()->hints.size(), 1U);  // the other order is void
}

TEST_F(EarlyRelease, a_worker_that_goes_is_awaited_if_a_room_is_ordered_of_it) {
  for (std::uint64_t ticket = 1; ticket <= 3; ++ticket) master.match(ticket);
  master.connect("w3", 7);
  master.grant({ordered_room(),
                {{WorkerId{"w9"}, Incarnation{9}, RoomNumber{1}}, ModeName{"duel"}, 2, 1, {}}});
  EXPECT_TRUE(master.orders().empty());  // w9 is awaited
  master.disconnect("w1");
  master.connect("w9", 9);
  EXPECT_TRUE(master.take<wire::PrepareSpawn>().empty());
  master.connect("w1", 5);
  EXPECT_FALSE(master.take<wire::PrepareSpawn>().empty());
}

TEST_F(EarlyRelease, what_was_refused_brings_no_seats_whatever_the_lock_value_says) {
  master.match(1);
  master.grant();
  const auto orders = master.orders();
  ASSERT_EQ(orders.size(), 1U);
  const auto named = master.given_back()->hints;
  master.refuse(orders[0], wire::SpawnOutcome::no_capacity);
  master.grant(named);
  EXPECT_EQ(master.orders().size(), 1U);
}

TEST_F(EarlyRelease, a_room_that_failed_to_boot_brings_no_seats_either) {
  master.match(1);
  master.grant();
  const auto orders = master.orders();
  ASSERT_EQ(orders.size(), 1U);
  const auto named = master.given_back()->hints;
  master.accept(orders[0], 1);
  master.room(orders[0].worker.text(), 1, wire::RoomPhase::closed, wire::CloseReason::boot_failed);
  master.grant(named);
  EXPECT_EQ(master.orders().size(), 1U);
}

// Nobody has had a use for the lock meanwhile, so its value is as old as the order.
TEST_F(EarlyRelease, a_room_that_came_and_went_brings_no_seats) {
  show_room();
  master.room("w1", 1, wire::RoomPhase::closed, wire::CloseReason::empty);
  master.match(1);
  master.grant({ordered_room()});
  EXPECT_EQ(master.orders().size(), 1U);
  EXPECT_EQ(master.given_back()->hints.size(), 1U) << "our own order alone";
}

TEST_F(EarlyRelease, of_rooms_that_came_and_went_the_latest_are_remembered) {
  ClosedOrders closed;
  const auto order = [](std::size_t number) {
    return CreationId{{number, MasterId{2}}, 0, Incarnation{200}};
  };
  const GroupKey group{"g"};
  for (int twice = 0; twice < 2; ++twice) {
    for (std::size_t i = 0; i < ClosedOrders::most; ++i) closed.add(group, order(i));
  }
  EXPECT_TRUE(closed.contains(group, order(0)));
  closed.add(group, order(ClosedOrders::most));
  EXPECT_FALSE(closed.contains(group, order(0)));
  EXPECT_TRUE(closed.contains(group, order(1)));
  EXPECT_TRUE(closed.contains(group, order(ClosedOrders::most)));
  EXPECT_FALSE(closed.contains(GroupKey{"h"}, order(1))) << "their numbers are those of a group";
}

TEST_F(EarlyRelease, what_was_carried_out_is_a_hint_when_its_worker_has_gone) {
  master.match(1);
  master.grant();
  const auto orders = master.orders();
  ASSERT_EQ(orders.size(), 1U);
  const auto named = master.given_back()->hints;
  master.accept(orders[0], 1);
  master.disconnect(orders[0].worker.text());  // and the seat of the claim with it
  master.grant(named);
  EXPECT_TRUE(master.orders().empty());
  EXPECT_TRUE(master.take<wire::PrepareSpawn>().empty());  // it waits for the worker
}

// --- refusals: the next hold waits for its answers, and the group sleeps in the end

// Both workers refuse the room; the first one gets headroom back before the second one says no.
void refuse_both(LoneMaster& master, bool first_has_room_again) {
  master.connect("w1", 5, 1);
  master.connect("w2", 6, 1);
  master.match(1);
  ASSERT_EQ(master.asked_of_lock<AcquireLock>(), 1U);
  master.grant();
  const auto first = master.orders();
  ASSERT_EQ(first.size(), 1U);
  ASSERT_EQ(master.asked_of_lock<ReleaseLock>(), 1U);  // given on before the answer
  master.refuse(first[0], wire::SpawnOutcome::no_capacity, 1);
  ASSERT_EQ(master.asked_of_lock<AcquireLock>(), 1U);
  master.grant();
  const auto again = master.orders();
  ASSERT_EQ(again.size(), 1U);
  EXPECT_EQ(master.asked_of_lock<ReleaseLock>(), 0U);  // after a refusal the answer is waited for
  master.refuse(again[0], wire::SpawnOutcome::no_capacity);
  const auto second = master.orders();
  ASSERT_EQ(second.size(), 1U);
  ASSERT_NE(second[0].worker, again[0].worker);
  if (first_has_room_again) master.headroom(again[0].worker.text(), 1);
  master.refuse(second[0], wire::SpawnOutcome::no_capacity);
  EXPECT_EQ(master.asked_of_lock<ReleaseLock>(), 1U);
}

TEST(EarlyReleaseRefused, a_worker_that_gets_room_while_another_refuses_is_tried_at_once) {
  LoneMaster master;
  refuse_both(master, true);
  ASSERT_EQ(master.asked_of_lock<AcquireLock>(), 1U);
  master.grant();
  const auto orders = master.orders();
  ASSERT_EQ(orders.size(), 1U);
  master.accept(orders[0], 1, 0);
  EXPECT_EQ(master.asked_of_lock<ReleaseLock>(), 1U);
}

TEST(EarlyReleaseRefused, a_group_sleeps_as_long_as_no_worker_gets_room) {
  LoneMaster master;
  refuse_both(master, false);
  for (int i = 0; i < 20; ++i) master.pass(milliseconds{300});
  EXPECT_EQ(master.asked_of_lock<AcquireLock>(), 0U);
  master.headroom("w1", 1);
  EXPECT_EQ(master.asked_of_lock<AcquireLock>(), 1U);
}

}  // namespace
}  // namespace fixkeep::master
