#include "worker/core/boot_backoff.hpp"

#include <gtest/gtest.h>

namespace fixkeep::worker {
namespace {

using std::chrono::seconds;

const ModeName duel_mode{"duel"};
const ModeName brawl_mode{"brawl"};
const GroupKey duels{"duel|eu"};

struct BootBackoffTest : testing::Test {
  // A room that starts now, and fails at once.
  const BootPause* fail(const std::string& why = "exit code 1", const ModeName& mode = duel_mode,
                        const GroupKey& group = duels) {
    ++newest;
    return fail_room(newest, why, mode, group);
  }
  const BootPause* fail(const GroupKey& group) { return fail("exit code 1", duel_mode, group); }
  const BootPause* fail_room(std::uint32_t room, const std::string& why = "exit code 1",
                             const ModeName& mode = duel_mode, const GroupKey& group = duels) {
    return backoff.failed({.group = group,
                           .mode = mode,
                           .room = RoomNumber{room},
                           .newest = RoomNumber{newest},
                           .why = why},
                          now);
  }
  void open(const GroupKey& group = duels) { backoff.opened(duel_mode, group, now); }
  // A room of some group lasts.
  void prove() {
    open(GroupKey{"duel|good"});
    pass(seconds{5});
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
  open();
  EXPECT_EQ(backoff.pause(duel_mode), nullptr);
  EXPECT_EQ(backoff.next_tick(), TimePoint::max());
  EXPECT_FALSE(backoff.pauses(duels));
  pass(seconds{5});
  EXPECT_EQ(fail(), nullptr) << "the mode has proved itself";
  EXPECT_TRUE(backoff.pauses(duels));
  EXPECT_EQ(backoff.next_tick(), now + seconds{1});
}

TEST_F(BootBackoffTest, a_room_that_opens_and_fails_soon_has_mended_nothing) {
  for (const int wanted : {1, 2, 4}) {
    ASSERT_NE(fail(), nullptr);
    EXPECT_EQ(length(), seconds{wanted});
    pass(seconds{wanted});
    open();
    pass(seconds{3});
    open();
    pass(seconds{2} - Duration{1});
  }
  ASSERT_NE(fail(), nullptr);
  pass(seconds{8});
  open();
  pass(seconds{3});
  open();
  pass(seconds{2});
  EXPECT_EQ(fail(), nullptr) << "the first of the two has lasted";
  EXPECT_EQ(backoff.next_tick(), now + seconds{1});
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
  open();
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
  open();
  EXPECT_FALSE(backoff.take_changed()) << "it was not paused";
  fail();
  EXPECT_TRUE(backoff.take_changed());
  open();
  EXPECT_TRUE(backoff.take_changed());
}

TEST_F(BootBackoffTest, a_group_that_fails_does_not_pause_a_mode_that_has_proved_itself) {
  prove();
  for (const int wanted : {1, 2, 4, 8, 16, 32, 60, 60}) {
    EXPECT_EQ(fail(), nullptr);
    EXPECT_TRUE(backoff.pauses(duels));
    EXPECT_FALSE(backoff.pauses(GroupKey{"duel|good"}));
    EXPECT_EQ(backoff.next_tick(), now + seconds{wanted});
    pass(seconds{wanted});
    EXPECT_FALSE(backoff.pauses(duels));
    EXPECT_TRUE(backoff.take_changed()) << "whoever sleeps is to try again";
  }
}

TEST_F(BootBackoffTest, several_groups_that_fail_pause_their_mode_for_a_short_time) {
  prove();
  for (const int wanted : {1, 2, 4, 4, 4}) {
    for (const char* bad : {"a", "b", "c"})
      EXPECT_EQ(fail(GroupKey{bad + std::to_string(wanted)}), nullptr);
    EXPECT_EQ(fail(GroupKey{"c" + std::to_string(wanted)}), nullptr) << "one that has failed";
    ASSERT_NE(fail(GroupKey{"d"}), nullptr);
    EXPECT_EQ(length(), seconds{wanted});
    pass(seconds{wanted});
  }
  prove();
  for (const char* bad : {"e", "f", "g"}) EXPECT_EQ(fail(GroupKey{bad}), nullptr);
  ASSERT_NE(fail(GroupKey{"h"}), nullptr);
  EXPECT_EQ(length(), seconds{1}) << "a room has lasted since";
}

TEST_F(BootBackoffTest, rooms_of_others_that_open_prove_a_mode_also_while_a_group_fails) {
  open(GroupKey{"duel|good"});
  for (int second = 0; second < 4; ++second) {
    pass(seconds{1});
    (void)fail(GroupKey{"bad" + std::to_string(second)});
  }
  pass(seconds{1});
  EXPECT_EQ(fail(GroupKey{"bad"}), nullptr);
  EXPECT_EQ(backoff.pause(duel_mode), nullptr);
}

TEST_F(BootBackoffTest, remembers_so_many_groups) {
  prove();
  for (std::size_t i = 0; i < BootBackoff::most_groups + 10; ++i) {
    now += Duration{1};
    (void)fail(GroupKey{std::to_string(i)});
  }
  EXPECT_FALSE(backoff.pauses(GroupKey{"0"}));
  EXPECT_TRUE(backoff.pauses(GroupKey{std::to_string(BootBackoff::most_groups)}));
}

TEST_F(BootBackoffTest, a_mode_that_changes_is_forgotten_with_its_groups) {
  (void)fail();
  backoff.forget(duel_mode);
  EXPECT_FALSE(backoff.pauses(duels));
  EXPECT_EQ(backoff.pause(duel_mode), nullptr);
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
