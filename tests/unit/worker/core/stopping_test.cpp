#include "tests/unit/worker/core/host_driver.hpp"

namespace fixkeep::worker {
namespace {

using wire::CloseReason;
using wire::SpawnOutcome;

struct Stopping : testing::Test {
  Stopping() { driver.step(MasterConnected{m1}); }
  Driver driver;
};

TEST_F(Stopping, stopping_closes_every_room_and_ends_when_the_last_process_is_gone) {
  const auto first = driver.open_room();
  const auto second = driver.open_room();
  EXPECT_EQ(all<SignalProcess>(driver.step(StopAsked{})).size(), 2U);
  EXPECT_EQ(close_reason(driver.batch(), first), CloseReason::stopping);
  EXPECT_EQ(driver.spawn(m1, 50).outcome, SpawnOutcome::no_capacity);
  EXPECT_TRUE(all<StoppedEmpty>(driver.step(ProcessExited{first, ""})).empty());
  EXPECT_EQ(all<StoppedEmpty>(driver.step(ProcessExited{second, ""})).size(), 1U);
}

TEST_F(Stopping, a_game_that_was_asked_to_end_is_not_asked_again_when_the_worker_stops) {
  const auto room = driver.open_room();
  ASSERT_EQ(all<SignalProcess>(driver.pass(seconds{60})).size(), 1U) << "it was empty for too long";
  driver.pass(seconds{4});
  EXPECT_TRUE(all<SignalProcess>(driver.step(StopAsked{})).empty());
  EXPECT_EQ(all<KillProcess>(driver.pass(seconds{1})).size(), 1U) << "its grace has not begun anew";
  driver.step(ProcessExited{room, "signal SIGKILL"});
}

// Its grace is 5 s.
TEST_F(Stopping, a_game_whose_end_nobody_tells_does_not_keep_the_worker_from_stopping) {
  driver.open_room();
  driver.step(StopAsked{});
  EXPECT_EQ(all<KillProcess>(driver.pass(seconds{5})).size(), 1U);
  EXPECT_TRUE(all<StoppedEmpty>(driver.pass(seconds{9})).empty());
  const auto stopped = all<StoppedEmpty>(driver.pass(seconds{1}));
  ASSERT_EQ(stopped.size(), 1U);
  EXPECT_EQ(stopped[0].left, 1U);
  EXPECT_TRUE(all<StoppedEmpty>(driver.pass(seconds{60})).empty()) << "it is told once";
}

TEST_F(Stopping, nor_does_one_of_a_worker_that_drains_before_it_stops) {
  driver.open_room(4, {1});
  driver.step(DrainAllAsked{.most = seconds{20}, .then_stop = true});
  EXPECT_TRUE(all<StoppedEmpty>(driver.pass(seconds{34})).empty());
  EXPECT_EQ(all<StoppedEmpty>(driver.pass(seconds{1})).size(), 1U);
}

TEST_F(Stopping, a_worker_without_rooms_stops_at_once) {
  EXPECT_EQ(all<StoppedEmpty>(driver.step(StopAsked{})).size(), 1U);
}

}  // namespace
}  // namespace fixkeep::worker
