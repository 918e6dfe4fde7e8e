// What a master does between the grant of a group's lock and its release.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "master/core/hold.hpp"
#include "tests/unit/master/core/cluster.hpp"
#include "tests/unit/master/core/lone_master.hpp"

namespace fixkeep::master {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

wire::RoomHint hint(const char* worker, std::uint64_t run) {
  return {RoomId{WorkerId{worker}, Incarnation{run}, RoomNumber{3}}, ModeName{"duel"}, 1, 1};
}

// --- hints ---------------------------------------------------------------------------------------

TEST(MatchmakerHold, a_hinted_run_that_is_not_the_connected_one_is_awaited) {
  LoneMaster master;
  master.connect("w1", 5);
  master.match(1);
  master.grant({hint("w1", 7)});
  EXPECT_TRUE(master.orders().empty());
  master.connect("w1", 7, 10, {open_room(3, 1)});
  EXPECT_TRUE(master.orders().empty());
  EXPECT_EQ(master.take<wire::SeatRequest>().size(), 1U);
}

TEST(MatchmakerHold, a_hinted_run_is_awaited_for_a_bounded_time_and_once) {
  LoneMaster master;
  master.connect("w1", 5);
  master.match(1);
  master.grant({hint("w1", 7)});
  EXPECT_TRUE(master.orders().empty());
  master.pass(milliseconds{1900});
  const auto first = master.orders();
  ASSERT_EQ(first.size(), 1U);
  master.accept(first[0], 1);
  ASSERT_EQ(master.asked_of_lock<ReleaseLock>(), 1U);
  master.match(2);
  master.grant({hint("w1", 7)});
  const auto second = master.orders();
  ASSERT_EQ(second.size(), 1U);  // it was waited for in vain
  master.accept(second[0], 2);
  master.match(3);
  master.grant({hint("w1", 8)});
  EXPECT_TRUE(master.orders().empty());  // a run that was never waited for
}

TEST(MatchmakerHold, a_hinted_run_that_was_seen_before_the_present_one_is_dropped) {
  LoneMaster master;
  master.connect("w1", 5);
  master.connect("w1", 7);
  master.match(1);
  master.grant({hint("w1", 5)});
  EXPECT_EQ(master.orders().size(), 1U);
}

TEST(MatchmakerHold, a_link_made_after_the_grant_knows_better_than_its_hint) {
  LoneMaster master;
  master.connect("w1", 5);
  master.match(1);
  master.grant({hint("w1", 7)});
  master.connect("w1", 9);
  const auto fence = master.take<wire::PrepareSpawn>();
  ASSERT_EQ(fence.size(), 1U);
  master.promise(fence[0]);
  EXPECT_EQ(master.orders().size(), 1U);
}

TEST(MatchmakerHold, a_hint_of_a_worker_that_is_not_here_is_passed_on) {
  LoneMaster master;
  master.connect("w2", 6);
  master.match(1);
  master.grant({hint("w1", 7)});
  master.cancel(1);
  const auto back = master.given_back();
  ASSERT_TRUE(back.has_value());
  ASSERT_EQ(back->hints.size(), 1U);
  EXPECT_EQ(back->hints[0].room, hint("w1", 7).room);
}

// Its state may have been on its way already when the room was made.
TEST(MatchmakerHold, a_hinted_room_is_asked_although_the_state_of_its_worker_does_not_name_it) {
  LoneMaster master;
  master.connect("w2", 6);
  master.match(1);
  master.grant({hint("w1", 7)});
  master.connect("w1", 7);
  EXPECT_EQ(master.take<wire::SeatRequest>().size(), 1U);
  EXPECT_TRUE(master.orders().empty());
}

// --- the last look -------------------------------------------------------------------------------

void opens(LoneMaster& master, const char* worker, std::vector<wire::RoomInfo> rooms) {
  wire::RoomsChanged news;
  news.headroom = 10;
  news.opened = std::move(rooms);
  master.say(worker, news);
}

// Each wave another room opens, and the room that was asked first turns out to be full.
TEST(MatchmakerHold, rooms_that_open_one_by_one_do_not_keep_the_lock) {
  LoneMaster master;
  master.connect("w1", 5);
  master.match(1);
  opens(master, "w1", {open_room(1, 1)});
  master.grant();
  std::vector<LoneMaster::Sent> asked = master.take<wire::SeatRequest>();
  ASSERT_EQ(asked.size(), 1U);
  std::uint32_t waves = 0;
  while (waves < 20 && master.asked_of_lock<ReleaseLock>() == 0) {
    ASSERT_LT(waves, asked.size()) << "it neither asks nor gives the lock back";
    opens(master, "w1", {open_room(waves + 2, 1)});
    const auto& question = std::get<wire::SeatRequest>(asked[waves].message);
    wire::SeatReply full;
    full.request = question.request;
    full.room = question.room;
    full.phase = wire::RoomPhase::open;
    master.say("w1", full);
    for (const auto& sent : master.take<wire::SeatRequest>()) asked.push_back(sent);
    ++waves;
  }
  EXPECT_EQ(waves, Hold::most_tries + 1);
  EXPECT_TRUE(master.orders().empty()) << "there are seats";
}

// --- links that change under a hold --------------------------------------------------------------

TEST(MatchmakerHold, a_worker_that_connects_after_the_grant_is_fenced_before_any_order) {
  LoneMaster master;
  master.connect("w1", 5);
  master.match(1);
  opens(master, "w1", {open_room(1, 1)});
  master.take<wire::SeatRequest>();  // the room stays silent
  master.grant();
  master.connect("w2", 6);
  wire::SeatReply reply;
  reply.request = 1;
  reply.room = RoomNumber{1};
  reply.phase = wire::RoomPhase::open;
  master.say("w1", reply);  // no seat for anybody
  EXPECT_TRUE(master.orders().empty());
  const auto fence = master.take<wire::PrepareSpawn>();
  ASSERT_EQ(fence.size(), 2U);
  for (const auto& question : fence) master.promise(question);
  const auto orders = master.orders();
  ASSERT_EQ(orders.size(), 1U);
  const auto& order = std::get<wire::SpawnRoom>(orders[0].message);
  EXPECT_EQ(order.basis, order.creation.token);
}

TEST(MatchmakerHold, a_fence_after_an_order_of_the_same_hold_takes_a_higher_token) {
  LoneMaster master;
  master.connect("w1", 5);
  master.match(1);
  master.grant();
  const auto before = master.orders();
  ASSERT_EQ(before.size(), 1U);
  master.refuse(before[0], wire::SpawnOutcome::no_capacity, 9);
  master.grant();  // this hold waits for its answers
  const auto first = master.orders();
  ASSERT_EQ(first.size(), 1U);
  master.connect("w2", 6);
  master.refuse(first[0], wire::SpawnOutcome::no_capacity);
  const auto fence = master.take<wire::PrepareSpawn>();
  ASSERT_EQ(fence.size(), 2U);
  EXPECT_GT(std::get<wire::PrepareSpawn>(fence[0].message).token,
            std::get<wire::SpawnRoom>(first[0].message).creation.token);
}

TEST(MatchmakerHold, without_a_change_of_links_there_is_no_fence) {
  LoneMaster master;
  master.connect("w1", 5);
  master.match(1);
  master.grant();
  EXPECT_TRUE(master.take<wire::PrepareSpawn>().empty());
  EXPECT_EQ(master.orders().size(), 1U);
}

TEST(MatchmakerHold, links_that_never_rest_end_the_hold_and_not_the_master) {
  LoneMaster master;
  master.connect("w0", 5);
  master.match(1);
  master.grant({hint("w9", 1)});
  std::size_t rounds = 0;
  for (std::uint64_t i = 1; i <= 100 && master.asked_of_lock<ReleaseLock>() == 0; ++i) {
    master.connect("w9", i);
    if (!master.take<wire::PrepareSpawn>().empty()) ++rounds;
  }
  EXPECT_LE(rounds, 9U);
  EXPECT_GE(rounds, 2U);
}

TEST(MatchmakerHold, workers_that_went_down_together_are_waited_for_before_an_order) {
  LoneMaster master;
  master.connect("w1", 5);
  master.connect("w2", 6);
  master.disconnect("w1");
  master.disconnect("w2");
  master.connect("w1", 5);
  master.match(1);
  master.grant();
  EXPECT_TRUE(master.orders().empty());
  master.connect("w2", 6);
  for (const auto& question : master.take<wire::PrepareSpawn>()) master.promise(question);
  EXPECT_EQ(master.orders().size(), 1U);
}

TEST(MatchmakerHold, one_worker_of_several_that_went_down_is_not_waited_for) {
  LoneMaster master;
  master.connect("w1", 5);
  master.connect("w2", 6);
  master.disconnect("w2");
  master.match(1);
  master.grant();
  EXPECT_EQ(master.orders().size(), 1U);
}

// --- load ----------------------------------------------------------------------------------------

TEST(MatchmakerHold, groups_that_start_at_one_instant_spread_over_the_workers) {
  Cluster cluster{3, 0, 4};
  cluster.zones = 1;
  for (int w = 0; w < 4; ++w) cluster.start_worker(w);
  cluster.run();
  for (std::uint64_t t = 1; t <= 30; ++t) {
    cluster.key = GroupKey{"g" + std::to_string(t)};
    cluster.match(static_cast<int>(t % 3), t, "p" + std::to_string(t));
  }
  cluster.finish();
  ASSERT_EQ(cluster.rooms_made(), 30U);
  for (int w = 0; w < 4; ++w) {
    EXPECT_LE(cluster.host(w).rooms().size(), 11U) << w;  // the mean is 7.5
  }
}

// --- rooms that start ----------------------------------------------------------------------------

TEST(MatchmakerHold, rooms_starting_for_one_group_are_bounded_and_the_rest_waits_for_them) {
  LoneMaster master{[](MatchmakerOptions& options) { options.starting_rooms_per_group = 2; }};
  master.connect("w1", 5);
  for (std::uint64_t t = 1; t <= 4; ++t) master.match(t);
  ASSERT_EQ(master.asked_of_lock<AcquireLock>(), 1U);
  master.grant();
  const auto orders = master.orders();
  ASSERT_EQ(orders.size(), 2U);
  master.accept(orders[0], 1);
  master.accept(orders[1], 2);
  EXPECT_EQ(master.asked_of_lock<ReleaseLock>(), 1U);
  EXPECT_EQ(master.asked_of_lock<AcquireLock>(), 0U);
  master.room("w1", 1, wire::RoomPhase::open);
  ASSERT_EQ(master.asked_of_lock<AcquireLock>(), 1U);
  master.grant();
  const auto third = master.orders();
  ASSERT_EQ(third.size(), 1U);
  master.accept(third[0], 3);
  EXPECT_EQ(master.asked_of_lock<AcquireLock>(), 0U);
  master.room("w1", 2, wire::RoomPhase::closed, wire::CloseReason::boot_failed);
  EXPECT_EQ(master.asked_of_lock<AcquireLock>(), 1U);
  EXPECT_TRUE(master.refusals().empty());
}

TEST(MatchmakerHold, orders_whose_hold_has_ended_count_as_starting) {
  LoneMaster master{[](MatchmakerOptions& options) { options.starting_rooms_per_group = 1; }};
  master.connect("w1", 5);
  master.match(1);
  master.match(2);
  master.grant();
  const auto orders = master.orders();
  ASSERT_EQ(orders.size(), 1U);
  master.asked_of_lock<AcquireLock>();
  master.lose_lock();
  master.pass(seconds{1});
  EXPECT_EQ(master.asked_of_lock<AcquireLock>(), 0U);
  master.accept(orders[0], 1);
  EXPECT_EQ(master.asked_of_lock<AcquireLock>(), 0U);
  master.room("w1", 1, wire::RoomPhase::open);
  EXPECT_EQ(master.asked_of_lock<AcquireLock>(), 1U);
}

TEST(MatchmakerHold, rooms_starting_for_one_client_are_bounded_over_all_its_groups) {
  LoneMaster master{[](MatchmakerOptions& options) { options.starting_rooms_per_client = 2; }};
  master.connect("w1", 5);
  const auto start = [&](std::uint64_t ticket, const std::string& client) {
    const std::string group = "g" + std::to_string(ticket);
    master.match(ticket, group, seconds{30}, client);
    master.grant({}, group);
    return master.orders();
  };
  const auto first = start(1, "10.0.0.7");
  ASSERT_EQ(first.size(), 1U);
  master.accept(first[0], 1);
  const auto second = start(2, "10.0.0.7");
  ASSERT_EQ(second.size(), 1U);  // and not answered yet
  EXPECT_TRUE(start(3, "10.0.0.7").empty());
  EXPECT_EQ(master.refusals().at(3), Refusal::too_many_rooms);
  EXPECT_EQ(start(4, "10.0.0.8").size(), 1U);
  EXPECT_EQ(start(5, "").size(), 1U);
  master.room("w1", 1, wire::RoomPhase::open);
  EXPECT_EQ(start(6, "10.0.0.7").size(), 1U);
  EXPECT_TRUE(start(7, "10.0.0.7").empty());
  master.refuse(second[0], wire::SpawnOutcome::no_capacity, 5);
  EXPECT_EQ(start(8, "10.0.0.7").size(), 1U);
  EXPECT_TRUE(start(9, "10.0.0.7").empty());
  master.disconnect("w1");  // with every room and order
  master.connect("w1", 6);
  master.pass(seconds{3});
  EXPECT_EQ(start(10, "10.0.0.7").size(), 1U);
}

TEST(MatchmakerHold, a_client_at_its_bound_still_gets_seats_in_rooms_that_others_open) {
  LoneMaster master{[](MatchmakerOptions& options) { options.starting_rooms_per_client = 1; }};
  master.capacity = 2;
  master.connect("w1", 5);
  master.match(1, "g", seconds{30}, "10.0.0.8");
  for (std::uint64_t t = 2; t <= 5; ++t) master.match(t, "g", seconds{30}, "10.0.0.7");
  master.grant();
  const auto orders = master.orders();
  ASSERT_EQ(orders.size(), 2U);  // 1 and 2, 3 and 4
  EXPECT_EQ(master.refusals().size(), 1U);
  EXPECT_EQ(master.refusals().at(5), Refusal::too_many_rooms);
}

// --- nobody waits any more -----------------------------------------------------------------------

TEST(MatchmakerHold, no_room_is_ordered_for_claims_that_are_over) {
  LoneMaster late;
  late.connect("w1", 5);
  late.match(1, "g", milliseconds{100});
  late.now += milliseconds{100};  // and its time has passed, although no tick has said so yet
  late.grant();
  EXPECT_TRUE(late.orders().empty());
  EXPECT_EQ(late.refusals().count(1), 1U);
  EXPECT_EQ(late.asked_of_lock<ReleaseLock>(), 1U);
}

TEST(MatchmakerHold, claims_cancelled_before_the_order_are_not_in_it) {
  for (int at = 0; at < 40; ++at) {
    for (const bool fence : {false, true}) {
      Cluster cluster{2, 2, 4};
      cluster.needs_fence = fence;
      const auto ordered = [&] {
        return std::any_of(cluster.to_workers.begin(), cluster.to_workers.end(), [](const auto& m) {
          return std::holds_alternative<wire::SpawnRoom>(m);
        });
      };
      for (std::uint64_t t = 1; t <= 6; ++t) cluster.match(0, t, "p" + std::to_string(t));
      for (int i = 0; i < at && cluster.step(); ++i) {}
      const bool before = ordered();
      for (std::uint64_t t = 1; t <= 6; ++t) cluster.cancel(0, t);
      cluster.run();
      EXPECT_TRUE(before || !ordered()) << "step " << at;
    }
  }
}

}  // namespace
}  // namespace fixkeep::master
