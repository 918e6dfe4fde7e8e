#include "worker/core/boot_backoff.hpp"

#include <gtest/gtest.h>

namespace fixkeep::worker {
namespace {

using std::chrono::seconds;

const ModeName duel_mode{"duel"};
const ModeName brawl_mode{"brawl"};

struct BootBackoffTest : testing::Test {
  // A room that starts now, and fails at once.
  const BootPause* fail(const std::string& why = "exit code 1", const ModeName& mode = duel_mode) {
    ++newest;
    return fail_room(newest, why, mode);
  }
  const BootPause* fail_room(std::uint32_t room, const std::string& why = "exit code 1",
                             const ModeName& mode = duel_mode) {
    return backoff.failed(
        {.mode = mode, .room = RoomNumber{room}, .newest = RoomNumber{newest}, .why = why}, now);
  }
  void pass(Duration duration) {
    now += duration;
    backoff.tick(now);
  }
  Duration length() const { return backoff.pause(duel_mode)->until - now; }

  TimePoint now{seconds{1000}};
  std::uint32_t newest = 0;
  BootBackoff backoff{{.first = seconds{1}, .most = seconds{60}}};
};

TEST_F(BootBackoffTest, pauses_double_up_to_the_longest_and_a_room_that_lasts_ends_them) {
  for (const int wanted : {1, 2, 4, 8, 16, 32, 60, 60}) {
    ASSERT_NE(fail(), nullptr);
    EXPECT_EQ(length(), seconds{wanted});
    pass(seconds{wanted});
    EXPECT_EQ(backoff.pause(duel_mode), nullptr);
  }
  ASSERT_NE(fail(), nullptr);
  backoff.opened(duel_mode, now);
  EXPECT_EQ(backoff.pause(duel_mode), nullptr);
  EXPECT_EQ(backoff.next_tick(), TimePoint::max());
  pass(seconds{5});
  ASSERT_NE(fail(), nullptr);
  EXPECT_EQ(length(), seconds{1});
  EXPECT_EQ(backoff.pause(duel_mode)->failures, 1U);
}

TEST_F(BootBackoffTest, a_room_that_opens_and_fails_soon_has_mended_nothing) {
  for (const int wanted : {1, 2, 4}) {
    ASSERT_NE(fail(), nullptr);
    EXPECT_EQ(length(), seconds{wanted});
    pass(seconds{wanted});
    backoff.opened(duel_mode, now);
    pass(seconds{3});
    backoff.opened(duel_mode, now);
    pass(seconds{2} - Duration{1});
  }
  ASSERT_NE(fail(), nullptr);
  pass(seconds{8});
  backoff.opened(duel_mode, now);
  pass(seconds{3});
  backoff.opened(duel_mode, now);
  pass(seconds{2});
  ASSERT_NE(fail(), nullptr);
  EXPECT_EQ(length(), seconds{1}) << "the first of the two has lasted";
}

TEST_F(BootBackoffTest, a_pause_lasts_until_its_end_and_names_its_reason) {
  const auto* const begun = fail("exit code 3: cannot bind");
  ASSERT_NE(begun, nullptr);
  EXPECT_EQ(begun->why, "exit code 3: cannot bind");
  EXPECT_EQ(begun->failures, 1U);
  EXPECT_EQ(backoff.next_tick(), now + seconds{1});
  pass(seconds{1} - Duration{1});
  EXPECT_NE(backoff.pause(duel_mode), nullptr);
  pass(Duration{1});
  EXPECT_EQ(backoff.pause(duel_mode), nullptr);
}

TEST_F(BootBackoffTest, rooms_that_were_started_before_the_pause_fail_with_it) {
  newest = 20;
  ASSERT_NE(fail_room(1), nullptr);
  for (std::uint32_t room = 2; room <= 20; ++room) {
    EXPECT_EQ(fail_room(room, "another"), nullptr) << room;
  }
  EXPECT_EQ(length(), seconds{1});
  pass(seconds{1});
  EXPECT_EQ(fail_room(19), nullptr) << "the reason is known, and the pause is over";
  ASSERT_NE(fail(), nullptr) << "a room that was started since";
  EXPECT_EQ(length(), seconds{2});
  EXPECT_EQ(backoff.pause(duel_mode)->failures, 2U);
}

TEST_F(BootBackoffTest, one_mode_is_paused_and_the_others_are_not) {
  ASSERT_NE(fail("x", brawl_mode), nullptr);
  EXPECT_EQ(backoff.pause(duel_mode), nullptr);
  ASSERT_NE(fail(), nullptr);
  backoff.opened(duel_mode, now);
  EXPECT_NE(backoff.pause(brawl_mode), nullptr);
}

TEST_F(BootBackoffTest, changes_are_told_once_when_a_pause_begins_or_ends) {
  EXPECT_FALSE(backoff.take_changed());
  fail();
  EXPECT_TRUE(backoff.take_changed());
  EXPECT_FALSE(backoff.take_changed());
  pass(seconds{1});
  EXPECT_TRUE(backoff.take_changed());
  pass(seconds{1});
  backoff.opened(duel_mode, now);
  EXPECT_FALSE(backoff.take_changed()) << "it was not paused";
  fail();
  EXPECT_TRUE(backoff.take_changed());
  backoff.opened(duel_mode, now);
  EXPECT_TRUE(backoff.take_changed());
}

TEST_F(BootBackoffTest, can_be_switched_off) {
  backoff = BootBackoff{{.first = seconds{1}, .most = seconds{0}}};
  EXPECT_EQ(fail(), nullptr);
  EXPECT_EQ(fail(), nullptr);
  EXPECT_EQ(backoff.pause(duel_mode), nullptr);
  EXPECT_FALSE(backoff.take_changed());
}

}  // namespace
}  // namespace fixkeep::worker
