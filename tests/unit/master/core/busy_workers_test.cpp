// Workers that are slow, or out of sight for a while, and come back: nobody orders rooms for what
// they have, and nobody takes them for dead.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/master/core/lone_master.hpp"

namespace fixkeep::master {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

struct BusyWorkers : testing::Test {
  BusyWorkers() {
    master.capacity = 4;
    master.connect("busy", 1);
    master.connect("other", 2);
  }
  // A claim whose room the busy worker was ordered.
  LoneMaster::Sent order_of_busy(std::uint64_t ticket, const std::string& group = "g") {
    master.headroom("other", 0);
    master.match(ticket, group);
    master.grant({}, group);
    auto orders = master.orders();
    EXPECT_THAT(orders, SizeIs(1));
    EXPECT_EQ(orders.front().worker, WorkerId{"busy"});
    master.headroom("other", 10);
    return orders.front();
  }
  [[nodiscard]] const Worker* known(const char* worker) {
    return master.matchmaker().directory().find(WorkerId{worker});
  }
  // Whatever asks for a lock gets it. The workers that rooms were ordered of.
  std::vector<WorkerId> ordered_now(const std::string& group = "g") {
    std::vector<WorkerId> workers;
    if (master.asked_of_lock<AcquireLock>() > 0) master.grant({}, group);
    for (const auto& sent : master.take<wire::PrepareSpawn>()) master.promise(sent);
    for (const auto& sent : master.orders()) workers.push_back(sent.worker);
    return workers;
  }

  LoneMaster master{[](MatchmakerOptions& options) { options.out_of_sight = seconds{5}; }};
};

TEST_F(BusyWorkers,
       one_whose_answer_is_overdue_keeps_its_link_and_gets_no_orders_until_it_answers) {
  const auto order = order_of_busy(1);
  master.pass(seconds{2});
  ASSERT_NE(known("busy"), nullptr);
  EXPECT_TRUE(known("busy")->behind);
  EXPECT_THAT(master.quarantined(), IsEmpty());
  master.asked_of_lock<AcquireLock>();
  master.match(2, "another group");
  EXPECT_THAT(ordered_now("another group"), ElementsAre(WorkerId{"other"}));
  master.pass(seconds{3});
  master.accept(order, 1);
  EXPECT_FALSE(known("busy")->behind);
  EXPECT_THAT(master.orders(), IsEmpty()) << "the claim has its room";
}

TEST_F(BusyWorkers, one_that_answers_what_nobody_waits_for_any_more_is_not_behind) {
  master.match(1);
  master.grant({}, "g", true);
  const auto fence = master.take<wire::PrepareSpawn>();
  ASSERT_THAT(fence, SizeIs(2));
  for (const auto& sent : fence) {
    if (sent.worker == WorkerId{"other"}) master.promise(sent);
  }
  master.pass(seconds{2});
  EXPECT_TRUE(known("busy")->behind);
  master.lose_lock();
  for (const auto& sent : fence) {
    if (sent.worker == WorkerId{"busy"}) master.promise(sent);
  }
  EXPECT_FALSE(known("busy")->behind);
}

TEST_F(BusyWorkers, a_master_that_was_held_up_itself_finds_nobody_behind) {
  (void)order_of_busy(1);
  master.matchmaker().held_up(seconds{3});
  master.pass(seconds{3});
  EXPECT_FALSE(known("busy")->behind);
  master.pass(seconds{3});
  EXPECT_FALSE(known("busy")->behind) << "it may have been late as well";
  master.pass(seconds{1});
  EXPECT_TRUE(known("busy")->behind);
}

TEST_F(BusyWorkers, a_master_that_is_always_late_gets_on) {
  (void)order_of_busy(1);
  int late = 0;
  while (!known("busy")->behind) {
    ASSERT_LT(++late, 10);
    master.matchmaker().held_up(seconds{1});
    master.pass(seconds{2});
  }
}

TEST_F(BusyWorkers, an_order_that_went_out_of_sight_is_waited_for) {
  (void)order_of_busy(1);
  master.asked_of_lock<AcquireLock>();
  master.disconnect("busy");
  master.pass(milliseconds{4900});
  EXPECT_THAT(ordered_now(), IsEmpty());
  wire::RoomInfo room = open_room(1, 4);
  master.connect("busy", 1, 10, {room});
  EXPECT_THAT(master.take<wire::SeatRequest>(), SizeIs(1)) << "it was carried out";
  EXPECT_THAT(ordered_now(), IsEmpty());
}

TEST_F(BusyWorkers, a_room_with_seats_that_went_out_of_sight_is_waited_for_by_whoever_comes_later) {
  master.connect("third", 3, 10, {open_room(1, 4)});
  master.disconnect("third");
  master.pass(seconds{1});
  master.match(1);
  EXPECT_THAT(ordered_now(), IsEmpty());
  master.match(2, "another group");
  EXPECT_THAT(ordered_now("another group"), SizeIs(1)) << "others have nothing there";
}

TEST_F(BusyWorkers, a_worker_that_stays_away_is_waited_for_no_longer_than_that) {
  (void)order_of_busy(1);
  master.asked_of_lock<AcquireLock>();
  master.disconnect("busy");
  EXPECT_THAT(ordered_now(), IsEmpty());
  master.pass(seconds{5});
  EXPECT_THAT(ordered_now(), ElementsAre(WorkerId{"other"}));
}

TEST_F(BusyWorkers, a_worker_whose_rooms_are_all_closed_is_not_waited_for) {
  master.connect("third", 3, 10, {open_room(1, 4)});
  master.room("third", 1, wire::RoomPhase::closed, wire::CloseReason::stopping);
  master.disconnect("third");
  master.match(1);
  EXPECT_THAT(ordered_now(), SizeIs(1));
}

TEST_F(BusyWorkers, a_liar_is_not_waited_for) {
  (void)order_of_busy(1);
  master.say("busy", wire::SeatRequest{});  // which only masters say
  EXPECT_THAT(master.quarantined(), SizeIs(1));
  EXPECT_THAT(ordered_now(), ElementsAre(WorkerId{"other"}));
}

TEST_F(BusyWorkers, a_refusal_says_when_the_starts_that_are_queued_will_be_done) {
  for (const char* worker : {"busy", "other"}) {
    wire::RoomsChanged news;
    news.starts = {30, 60};
    master.say(worker, news);
  }
  master.match(1, "g", seconds{2});
  master.pass(seconds{2});
  EXPECT_EQ(master.refusals().at(1), Refusal::no_capacity);
  // 60 that are queued and the one that waits, by two workers that start one a second each.
  EXPECT_EQ(master.retry_after(1), milliseconds{30'500});
}

TEST_F(BusyWorkers, whose_room_is_among_the_queued_is_told_to_come_back_at_once) {
  master.accept(order_of_busy(1), 1);
  wire::RoomsChanged news;
  news.starts = {30, 60};
  master.say("busy", news);
  master.pass(seconds{60});
  EXPECT_EQ(master.refusals().at(1), Refusal::wait_timeout);
  EXPECT_EQ(master.retry_after(1), seconds{1});
}

TEST_F(BusyWorkers, where_nothing_is_queued_a_refusal_has_the_usual_pause) {
  for (const char* worker : {"busy", "other"}) master.headroom(worker, 0);
  master.match(1, "g", seconds{2});
  master.pass(seconds{2});
  EXPECT_EQ(master.retry_after(1), seconds{5});
}

TEST_F(BusyWorkers, a_holder_whose_rooms_go_out_of_sight_gives_the_lock_on) {
  master.connect("third", 3, 10, {open_room(1, 1)});
  master.match(1);
  (void)master.take<wire::SeatRequest>();  // no answer
  master.match(2);
  master.grant({}, "g", true);
  (void)master.take<wire::PrepareSpawn>();  // nor to the fence
  master.disconnect("third");
  EXPECT_TRUE(master.given_back());
  EXPECT_THAT(master.orders(), IsEmpty());
}

}  // namespace
}  // namespace fixkeep::master
