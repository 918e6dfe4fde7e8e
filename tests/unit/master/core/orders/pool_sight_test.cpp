// A pool waits for workers whose links are down: the fence does not reach them, and would not show
// whom other masters have seated there.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/master/core/orders/pool_holder.hpp"

namespace fixkeep::master {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using testing::IsEmpty;

struct PoolSightTest : PoolHolder {
  PoolSightTest() {
    connect();
    connect(other);
  }
  void lose() { core.step(WorkerDisconnected{w}, now, actions); }

  const WorkerId other{"other"};
};

TEST_F(PoolSightTest, asks_for_no_lock_while_a_worker_is_away_on_which_others_may_seat_players) {
  lose();
  match("ann", 1500);
  pass(out_of_sight - milliseconds{1});
  EXPECT_FALSE(asked_lock<AcquireLock>()) << "nothing was there when its link broke";
  connect();
  EXPECT_TRUE(asked_lock<AcquireLock>());
}

TEST_F(PoolSightTest, asks_for_no_lock_while_it_rests_from_its_work_for_pools) {
  core.pool_work_took(milliseconds{20}, now);
  match("ann", 1500);
  pass(milliseconds{179});
  EXPECT_FALSE(asked_lock<AcquireLock>()) << "pools have a tenth of the thread";
  pass(milliseconds{1});
  EXPECT_TRUE(asked_lock<AcquireLock>());
}

TEST_F(PoolSightTest, does_not_wait_for_a_worker_without_end) {
  lose();
  match("ann", 1500);
  EXPECT_FALSE(asked_lock<AcquireLock>());
  pass(out_of_sight);
  EXPECT_TRUE(asked_lock<AcquireLock>());
}

TEST_F(PoolSightTest, does_not_wait_for_a_worker_that_has_ended_its_work) {
  wire::RoomsChanged news;
  news.headroom = 0;
  say(std::move(news));
  lose();
  match("ann", 1500);
  EXPECT_TRUE(asked_lock<AcquireLock>());
}

TEST_F(PoolSightTest, gives_the_lock_on_when_a_worker_goes_before_it_has_decided) {
  match("ann", 1500);
  match("bob", 1500);
  match("cid", 1500);
  grant();
  lose();
  lend({});
  EXPECT_TRUE(asked_lock<ReleaseLock>()) << "another master may see the worker";
  EXPECT_THAT(to_worker<wire::SpawnRoom>(), IsEmpty());
}

TEST_F(PoolSightTest, waits_for_a_worker_for_as_long_as_it_was_there_itself) {
  lose();
  match("ann", 1500);
  pass(seconds{1});
  now += minutes{1};  // it sleeps, and its timer is late
  core.held_up(minutes{1});
  core.step(TimePassed{}, now, actions);
  pass(Duration{0});  // what had arrived is heard by now
  EXPECT_FALSE(asked_lock<AcquireLock>()) << "its links have had no time to come back";
  connect();
  EXPECT_TRUE(asked_lock<AcquireLock>());
}

TEST_F(PoolSightTest, looks_often_enough_to_know_that_it_slept) {
  lose();
  match("ann", 1500);
  EXPECT_LE(core.next_tick(), now + milliseconds{200});
  const TimePoint due = core.next_tick();
  now += out_of_sight;  // it sleeps until its patience would be over
  core.held_up(now - due);
  core.step(TimePassed{}, now, actions);
  EXPECT_FALSE(asked_lock<AcquireLock>());
  EXPECT_LE(core.next_tick(), now + milliseconds{200});
}

}  // namespace
}  // namespace fixkeep::master
