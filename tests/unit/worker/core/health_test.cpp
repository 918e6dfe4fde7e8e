#include <gtest/gtest.h>

#include "tests/unit/worker/core/host_driver.hpp"

namespace fixkeep::worker {
namespace {

using wire::CloseReason;

struct HealthTest : testing::Test {
  HealthTest() { driver.step(MasterConnected{m1}); }

  // Somebody sits in it, so it does not close because it is empty.
  RoomNumber room_in_use() {
    const auto room = driver.open_room(4, {1});
    EXPECT_TRUE(driver.admits(room, 1));
    return room;
  }
  std::size_t kills_after(Duration duration) {
    return all<KillProcess>(driver.pass(duration)).size();
  }

  Driver driver;
};

TEST_F(HealthTest, a_game_that_has_never_given_a_sign_is_left_alone) {
  room_in_use();
  EXPECT_EQ(kills_after(std::chrono::hours{1}), 0U);
}

TEST_F(HealthTest, a_game_that_falls_silent_for_three_periods_is_killed_once) {
  const auto room = room_in_use();
  driver.step(GameHealthy{room});
  EXPECT_EQ(driver.host.next_tick(), driver.now + seconds{15});
  EXPECT_EQ(kills_after(milliseconds{14'999}), 0U);
  const auto killed = all<KillProcess>(driver.pass(milliseconds{1}));
  ASSERT_EQ(killed.size(), 1U);
  EXPECT_EQ(killed[0].room, room);
  EXPECT_EQ(killed[0].reason, CloseReason::unhealthy);
  EXPECT_EQ(killed[0].silence, Duration{seconds{15}});
  EXPECT_EQ(close_reason(driver.batch(), room), CloseReason::unhealthy);
  EXPECT_EQ(kills_after(seconds{60}), 0U);
}

TEST_F(HealthTest, each_sign_starts_the_time_anew_and_that_of_its_own_game_only) {
  const auto first = room_in_use();
  const auto second = room_in_use();
  driver.step(GameHealthy{first});
  driver.step(GameHealthy{second});
  EXPECT_EQ(kills_after(seconds{10}), 0U);
  driver.step(GameHealthy{first});
  const auto killed = all<KillProcess>(driver.pass(seconds{5}));
  ASSERT_EQ(killed.size(), 1U);
  EXPECT_EQ(killed[0].room, second);
  EXPECT_EQ(kills_after(seconds{9}), 0U);
  EXPECT_EQ(kills_after(seconds{1}), 1U);
}

TEST_F(HealthTest, silence_while_it_boots_is_a_failed_boot_that_was_no_timeout) {
  const auto room = driver.spawn(m1, 1, 4, {1}).room.number;
  driver.batch();
  driver.step(GameHealthy{room});
  const auto killed = all<KillProcess>(driver.pass(seconds{15}));
  ASSERT_EQ(killed.size(), 1U);
  EXPECT_EQ(killed[0].reason, CloseReason::boot_failed);
  EXPECT_TRUE(killed[0].silence.has_value());
  EXPECT_EQ(close_reason(driver.batch(), room), CloseReason::boot_failed);
}

TEST_F(HealthTest, a_boot_timeout_is_no_silence) {
  const auto room = driver.spawn(m1, 1, 4, {1}).room.number;
  driver.pass(seconds{20});
  driver.step(GameHealthy{room});
  const auto killed = all<KillProcess>(driver.pass(seconds{10}));
  ASSERT_EQ(killed.size(), 1U);
  EXPECT_FALSE(killed[0].silence.has_value());
}

TEST_F(HealthTest, a_room_that_is_closed_or_unknown_does_not_fall_silent) {
  const auto room = room_in_use();
  driver.step(GameHealthy{room});
  driver.step(ShutdownAsked{room});
  driver.step(GameHealthy{room});
  driver.step(GameHealthy{RoomNumber{99}});
  EXPECT_EQ(kills_after(seconds{5}), 1U) << "its grace is over";
  driver.step(ProcessExited{room, "signal 9"});
  driver.batch();
  EXPECT_EQ(kills_after(seconds{60}), 0U);
}

TEST_F(HealthTest, the_rule_is_configured_as_a_period_and_a_number_of_failures) {
  auto options = small_options();
  options.health_period = milliseconds{200};
  options.health_failures = 2;
  Driver quick{options};
  quick.step(MasterConnected{m1});
  const auto room = quick.open_room(4, {1});
  quick.step(GameHealthy{room});
  EXPECT_TRUE(all<KillProcess>(quick.pass(milliseconds{399})).empty());
  EXPECT_EQ(all<KillProcess>(quick.pass(milliseconds{1})).size(), 1U);
}

}  // namespace
}  // namespace fixkeep::worker
