// When a master fills or empties a pool of warm rooms, and how often it tries.
#include "master/core/warm_pools.hpp"

#include <gtest/gtest.h>

#include "tests/unit/master/core/core_cluster.hpp"
#include "tests/unit/master/core/lone_master.hpp"

namespace fixkeep::master {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

const std::string pool = "*duel/1";

TEST(WarmRule, wants_a_share_of_the_rooms_in_use_within_its_bounds) {
  const WarmRule rule{2, 10, 0.1};
  EXPECT_EQ(rule.wanted(0), 2U);
  EXPECT_EQ(rule.wanted(20), 2U);
  EXPECT_EQ(rule.wanted(21), 3U);
  EXPECT_EQ(rule.wanted(30), 3U) << "0.1 is a little more than a tenth";
  EXPECT_EQ(rule.wanted(1'000), 10U);
  EXPECT_EQ((WarmRule{1, 3, 0}.wanted(1'000)), 1U);
}

wire::RoomInfo warm_room(std::uint32_t number, wire::RoomPhase phase = wire::RoomPhase::open) {
  wire::RoomInfo room = fixkeep::master::open_room(number, 1);
  room.group = GroupKey{pool};
  room.phase = phase;
  room.creation.token = {number, MasterId{2}};
  return room;
}

struct WarmPool : testing::Test {
  explicit WarmPool(WarmRule rule = {2, 4, 0})
      : master([rule](MatchmakerOptions& options) {
          options.warm = {{ModeName{"duel"}, 1, rule}};
        }) {}

  // A worker comes, and the first master's turn.
  void come(const std::string& worker, std::uint64_t run, std::uint32_t headroom = 10,
            std::vector<wire::RoomInfo> rooms = {}) {
    master.connect(worker, run, headroom, std::move(rooms));
    master.pass(WarmPools::gather);
  }
  // Answers the fence of the pool's holder, each worker with these rooms.
  void fence(const std::vector<wire::RoomInfo>& rooms = {}) {
    const auto questions = master.take<wire::PrepareSpawn>();
    ASSERT_FALSE(questions.empty()) << "a pool is fenced in every hold";
    for (const auto& question : questions) master.promise(question, rooms);
  }
  void tell(const std::string& worker, const wire::RoomInfo& room, std::uint32_t headroom = 10) {
    wire::RoomsChanged news;
    news.headroom = headroom;
    news.opened = {room};
    master.say(worker, news);
  }
  std::size_t acquires() { return master.asked_of_lock<AcquireLock>(); }

  LoneMaster master;
};

TEST_F(WarmPool, is_filled_under_its_lock_and_behind_a_fence) {
  come("w1", 5);
  ASSERT_EQ(master.take<wire::KeepWarm>().size(), 1U);
  ASSERT_EQ(acquires(), 1U);
  master.grant({}, pool);
  EXPECT_TRUE(master.orders().empty());
  fence();
  const auto orders = master.orders();
  ASSERT_EQ(orders.size(), 2U);
  EXPECT_TRUE(std::get<wire::SpawnRoom>(orders[0].message).claims.empty());
  EXPECT_EQ(std::get<wire::SpawnRoom>(orders[0].message).group.text(), pool);
  EXPECT_FALSE(master.given_back().has_value()) << "its answers are waited for";
  master.accept(orders[0], 1);
  master.accept(orders[1], 2);
  ASSERT_TRUE(master.given_back().has_value());
  EXPECT_FALSE(master.given_back()->uncertain);
  EXPECT_EQ(acquires(), 0U);
}

TEST_F(WarmPool, gets_only_what_is_still_missing_after_the_fence) {
  come("w1", 5);
  master.grant({}, pool);
  fence({warm_room(7)});
  EXPECT_EQ(master.orders().size(), 1U);
}

TEST_F(WarmPool, gives_the_lock_back_when_others_have_filled_it) {
  come("w1", 5);
  master.grant({}, pool);
  fence({warm_room(7), warm_room(8)});
  EXPECT_TRUE(master.orders().empty());
  EXPECT_TRUE(master.given_back().has_value());
  EXPECT_EQ(acquires(), 1U) << "the one before";
}

TEST_F(WarmPool, abandons_its_lock_when_others_have_filled_it) {
  come("w1", 5);
  tell("w1", warm_room(7));
  tell("w1", warm_room(8));
  EXPECT_EQ(master.asked_of_lock<AbandonLock>(), 1U);
}

TEST_F(WarmPool, masters_take_turns) {
  master.matchmaker().set_rank(2);
  come("w1", 5);
  EXPECT_EQ(acquires(), 0U);
  master.pass(milliseconds{99});
  EXPECT_EQ(acquires(), 0U);
  EXPECT_EQ(master.matchmaker().next_tick(), master.now + milliseconds{1});
  master.pass(milliseconds{1});
  EXPECT_EQ(acquires(), 1U);
}

TEST_F(WarmPool, somebody_else_s_turn_is_enough) {
  master.matchmaker().set_rank(2);
  come("w1", 5);
  tell("w1", warm_room(7));
  tell("w1", warm_room(8));
  master.pass(seconds{5});
  EXPECT_EQ(acquires(), 0U);
}

TEST_F(WarmPool, is_not_filled_with_the_last_place_of_a_worker) {
  come("w1", 5, 1);
  EXPECT_EQ(acquires(), 0U);
  master.headroom("w1", 2);
  ASSERT_EQ(acquires(), 1U);
  master.grant({}, pool);
  fence();
  EXPECT_EQ(master.orders().size(), 1U);
}

TEST_F(WarmPool, waits_while_a_claim_waits_for_capacity) {
  come("w1", 5, 10, {warm_room(7), warm_room(8)});
  master.match(1);
  // The first refusal comes when the lock was given on already.
  for (int hold = 0; hold < 2; ++hold) {
    ASSERT_EQ(acquires(), 1U);
    master.grant();
    for (const auto outcome : {wire::SpawnOutcome::no_warm_room, wire::SpawnOutcome::no_capacity}) {
      const auto orders = master.orders();
      ASSERT_EQ(orders.size(), 1U);
      master.refuse(orders[0], outcome, 10);
    }
  }
  wire::RoomInfo given = warm_room(7);
  given.group = GroupKey{"h"};
  tell("w1", given);
  master.pass(seconds{1});
  EXPECT_EQ(acquires(), 0U);
  master.cancel(1);
  EXPECT_EQ(acquires(), 1U);
}

TEST_F(WarmPool, rests_longer_after_each_failure) {
  come("w1", 5);
  for (const auto rest : {milliseconds{500}, milliseconds{1000}, milliseconds{2000}}) {
    ASSERT_EQ(acquires(), 1U) << rest.count();
    master.grant({}, pool);
    fence();
    for (const auto& order : master.orders()) {
      master.refuse(order, wire::SpawnOutcome::no_capacity, 10);
    }
    master.pass(rest - milliseconds{1});
    EXPECT_EQ(acquires(), 0U) << rest.count();
    master.pass(milliseconds{1});
  }
}

TEST_F(WarmPool, asks_the_other_workers_under_the_same_lock_when_one_refuses) {
  master.connect("w1", 5);
  come("w2", 6);
  ASSERT_EQ(acquires(), 1U);
  master.grant({}, pool);
  fence();
  const auto orders = master.orders();
  ASSERT_EQ(orders.size(), 2U);
  for (const auto& order : orders) {
    if (order.worker.text() == "w1") {
      master.refuse(order, wire::SpawnOutcome::no_capacity, 0);
    } else {
      master.accept(order, 1);
    }
  }
  const auto again = master.orders();
  ASSERT_EQ(again.size(), 1U);
  EXPECT_EQ(again[0].worker.text(), "w2");
}

TEST_F(WarmPool, rests_after_a_room_that_did_not_come_up) {
  come("w1", 5, 10, {warm_room(1, wire::RoomPhase::starting), warm_room(2)});
  master.room("w1", 1, wire::RoomPhase::closed, wire::CloseReason::boot_failed);
  EXPECT_EQ(acquires(), 0U);
  master.pass(milliseconds{500});
  EXPECT_EQ(acquires(), 1U);
}

TEST_F(WarmPool, is_filled_again_when_one_is_given) {
  come("w1", 5, 10, {warm_room(1), warm_room(2)});
  EXPECT_EQ(acquires(), 0U);
  wire::RoomInfo given = warm_room(1);
  given.group = GroupKey{"g"};
  tell("w1", given);
  const Directory& directory = master.matchmaker().directory();
  EXPECT_EQ(directory.rooms_of(GroupKey{pool}).size(), 1U);
  EXPECT_EQ(directory.rooms_of(GroupKey{"g"}).size(), 1U);
  EXPECT_EQ(directory.rooms_in_use(ModeName{"duel"}), 1U);
  EXPECT_EQ(acquires(), 0U) << "more groups may come at the same time";
  master.pass(WarmPools::gather);
  EXPECT_EQ(acquires(), 1U);
}

TEST_F(WarmPool, a_mode_that_is_never_warm_is_asked_for_once) {
  come("w1", 5);
  ASSERT_EQ(acquires(), 1U);
  master.grant({}, pool);
  fence();
  for (const auto& order : master.orders()) {
    master.refuse(order, wire::SpawnOutcome::never_warm, 10);
  }
  master.pass(seconds{60});
  EXPECT_EQ(acquires(), 0U);
  master.match(1);
  EXPECT_EQ(acquires(), 1U) << "it has rooms for players";
}

TEST_F(WarmPool, too_many_are_closed_when_they_have_been_too_many_for_a_while) {
  come("w1", 5, 10,
       {warm_room(1), warm_room(2), warm_room(3, wire::RoomPhase::starting), warm_room(4)});
  master.pass(seconds{9});
  EXPECT_EQ(acquires(), 0U);
  master.pass(seconds{1});
  ASSERT_EQ(acquires(), 1U);
  master.grant({}, pool);
  fence();
  const auto closed = master.take<wire::CloseWarmRoom>();
  ASSERT_EQ(closed.size(), 2U);
  const auto& first = std::get<wire::CloseWarmRoom>(closed[0].message);
  EXPECT_EQ(first.room.number(), 3U) << "the one that starts";
  EXPECT_EQ(first.order.token, first.basis);
  EXPECT_EQ(std::get<wire::CloseWarmRoom>(closed[1].message).room.number(), 4U);
  EXPECT_TRUE(master.given_back().has_value());
  EXPECT_EQ(acquires(), 0U) << "it waits for the news";
  master.room("w1", 3, wire::RoomPhase::closed, wire::CloseReason::empty);
  master.room("w1", 4, wire::RoomPhase::closed, wire::CloseReason::empty);
  master.pass(seconds{60});
  EXPECT_EQ(acquires(), 0U);
}

TEST_F(WarmPool, an_order_to_close_that_is_lost_is_told_again) {
  come("w1", 5, 10, {warm_room(1), warm_room(2), warm_room(3)});
  master.pass(seconds{10});
  for (int i = 0; i < 2; ++i) {
    ASSERT_EQ(acquires(), 1U);
    master.grant({}, pool);
    fence();
    EXPECT_EQ(master.take<wire::CloseWarmRoom>().size(), 1U);
    EXPECT_EQ(acquires(), 0U);
    master.pass(milliseconds{500});
  }
}

TEST(WarmCluster, masters_that_notice_a_shortage_together_make_what_is_wanted) {
  for (const char* strategy : {"multiphase", "lamport", "maekawa"}) {
    CoreCluster cluster{3, {100, 100}, strategy, {{ModeName{"duel"}, 4, {5, 5, 0}}}};
    EXPECT_EQ(cluster.rooms_of(GroupKey{"*duel/4"}), 5U) << strategy;
    EXPECT_EQ(cluster.created.size(), 5U) << strategy;
  }
}

TEST(WarmCluster, each_group_is_given_a_warm_room_and_the_pool_is_filled_again) {
  CoreCluster cluster{3, {100, 100}, "multiphase", {{ModeName{"duel"}, 4, {5, 5, 0}}}};
  for (int group = 0; group < 5; ++group) {
    cluster.match(1 + group % 3, "p" + std::to_string(group), "g" + std::to_string(group));
  }
  EXPECT_EQ(cluster.seated, 5U);
  cluster.pass(seconds{1});
  EXPECT_EQ(cluster.rooms_of(GroupKey{"*duel/4"}), 5U);
  EXPECT_EQ(cluster.created.size(), 10U);
  for (int m = 1; m <= 3; ++m) {
    const Directory& directory = cluster.master(m).directory();
    EXPECT_EQ(directory.rooms_of(GroupKey{"*duel/4"}).size(), 5U);
    EXPECT_EQ(directory.rooms_in_use(ModeName{"duel"}), 5U);
  }
}

}  // namespace
}  // namespace fixkeep::master
