#include "master/core/workers/quarantine.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace fixkeep::master {
namespace {

using std::chrono::seconds;
using testing::IsEmpty;
using testing::SizeIs;

struct QuarantineTest : testing::Test {
  // How long the worker is left out for it; 0: it is not.
  std::int64_t notice(Misdeed misdeed, const char* worker = "w") {
    const auto stay = quarantine.notice(WorkerId{worker}, misdeed, now);
    if (!stay) return 0;
    return std::chrono::duration_cast<seconds>(stay->until - now).count();
  }
  std::int64_t fails(const std::string& group, const char* mode = "duel") {
    const auto stay = quarantine.room_failed(w, ModeName{mode}, GroupKey{group}, now);
    if (!stay) return 0;
    return std::chrono::duration_cast<seconds>(stay->until - now).count();
  }
  std::size_t pass(seconds time) {
    now += time;
    return quarantine.end(now).size();
  }

  const WorkerId w{"w"};
  TimePoint now{seconds{1000}};
  Quarantine quarantine;
};

TEST_F(QuarantineTest, one_silence_is_forgiven_and_forgotten) {
  EXPECT_EQ(notice(Misdeed::silent), 0);
  EXPECT_FALSE(quarantine.apart(w));
  EXPECT_FALSE(quarantine.on_probation(w));
  EXPECT_EQ(pass(seconds{60}), 0U);
  EXPECT_EQ(quarantine.next_tick(), TimePoint::max());
  EXPECT_EQ(notice(Misdeed::silent), 0);
  EXPECT_EQ(notice(Misdeed::silent), 1);
  EXPECT_TRUE(quarantine.apart(w));
}

TEST_F(QuarantineTest,
       who_comes_and_goes_is_not_waited_for_after_four_breaks_within_a_minute_each) {
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(notice(Misdeed::comes_and_goes), 0);
    pass(seconds{59});
  }
  EXPECT_EQ(notice(Misdeed::comes_and_goes), 1);
  EXPECT_TRUE(quarantine.comes_and_goes(w));
  EXPECT_FALSE(quarantine.without_orders(w)) << "there may be no other";
  EXPECT_FALSE(quarantine.apart(w)) << "its rooms are used";
  pass(seconds{1});
  EXPECT_FALSE(quarantine.comes_and_goes(w));
  EXPECT_EQ(notice(Misdeed::comes_and_goes), 2) << "once more is enough";
}

TEST_F(QuarantineTest, breaks_of_a_link_that_lasts_are_forgotten) {
  for (int i = 0; i < 10; ++i) {
    EXPECT_EQ(notice(Misdeed::comes_and_goes), 0);
    pass(seconds{60});
  }
}

TEST_F(QuarantineTest, silences_count_running_and_by_what_was_asked) {
  const auto silent = [&](Asked about) {
    return quarantine.notice(w, Misdeed::silent, now, about).has_value();
  };
  EXPECT_FALSE(silent(Asked::promise));
  EXPECT_FALSE(silent(Asked::order));
  quarantine.answered(w, Asked::promise);
  EXPECT_FALSE(silent(Asked::promise)) << "it is slow, and not silent";
  quarantine.answered(w, Asked::seats);
  EXPECT_TRUE(silent(Asked::promise));
  pass(seconds{1});
  EXPECT_TRUE(quarantine.on_probation(w));
  quarantine.answered(w, Asked::order);
  EXPECT_TRUE(quarantine.on_probation(w));
  quarantine.answered(w, Asked::promise);
  EXPECT_FALSE(quarantine.on_probation(w));
  EXPECT_FALSE(silent(Asked::promise));
}

TEST_F(QuarantineTest, each_stay_is_twice_as_long_up_to_half_a_minute) {
  EXPECT_EQ(notice(Misdeed::refuses_promises), 1);
  for (const int expected : {2, 4, 8, 16, 30, 30}) {
    EXPECT_EQ(pass(seconds{60}), 1U);
    EXPECT_EQ(notice(Misdeed::refuses_promises), expected);
  }
}

TEST_F(QuarantineTest, failures_of_different_groups_count_running) {
  const ModeName duel{"duel"};
  for (std::size_t i = 1; i < Quarantine::most_failures; ++i) {
    EXPECT_EQ(fails(std::to_string(i)), 0);
    EXPECT_EQ(fails(std::to_string(i)), 0) << "the same again";
  }
  quarantine.opened_room(w, duel);
  EXPECT_EQ(fails("a"), 0);
  quarantine.started_room(w);  // which says nothing of boots
  for (std::size_t i = 2; i < Quarantine::most_failures; ++i) {
    EXPECT_EQ(fails(std::to_string(i)), 0);
  }
  EXPECT_EQ(fails("b"), 1);
  for (const int longer : {2, 4, 8, 8}) {
    pass(seconds{longer});
    EXPECT_EQ(fails("b"), longer) << "once more is enough";
  }
  pass(seconds{8});
  quarantine.opened_room(w, duel);
  EXPECT_EQ(fails("b"), 0) << "it was well since";
}

TEST_F(QuarantineTest, boots_that_fail_while_a_mode_is_left_out_say_nothing_new) {
  for (std::size_t i = 1; i < Quarantine::most_failures; ++i) fails(std::to_string(i));
  EXPECT_EQ(fails("last"), 1);
  for (std::size_t i = 0; i < Quarantine::most_failures; ++i) {
    EXPECT_EQ(fails("late " + std::to_string(i)), 0);
  }
  EXPECT_EQ(pass(seconds{1}), 1U);
  EXPECT_EQ(fails("again"), 2);
}

TEST_F(QuarantineTest, a_mode_that_fails_leaves_the_worker_and_its_other_modes_as_they_are) {
  for (std::size_t i = 1; i < Quarantine::most_failures; ++i) {
    EXPECT_EQ(fails(std::to_string(i)), 0);
    quarantine.opened_room(w, ModeName{"brawl"});
  }
  EXPECT_EQ(fails("last"), 1);
  EXPECT_FALSE(quarantine.without_orders(w));
  EXPECT_FALSE(quarantine.apart(w));
  EXPECT_THAT(quarantine.modes_without_orders(w), testing::ElementsAre(ModeName{"duel"}));
  EXPECT_EQ(fails("x", "brawl"), 0);
  EXPECT_EQ(quarantine.stays().at(0).mode, ModeName{"duel"});
  EXPECT_EQ(pass(seconds{1}), 1U);
  EXPECT_THAT(quarantine.modes_without_orders(w), IsEmpty());
}

TEST_F(QuarantineTest, remembers_so_many_workers) {
  for (std::size_t i = 0; i < Quarantine::most_workers + 10; ++i) {
    now += std::chrono::milliseconds{1};
    (void)notice(Misdeed::breaks_protocol, ("w" + std::to_string(i)).c_str());
  }
  EXPECT_THAT(quarantine.stays(), SizeIs(Quarantine::most_workers));
  EXPECT_FALSE(quarantine.apart(WorkerId{"w0"}));
}

TEST(MisdeedTest, has_words_for_each) {
  for (int i = 0; i <= static_cast<int>(last_misdeed); ++i) {
    EXPECT_GT(to_string(static_cast<Misdeed>(i)).size(), 3U);
  }
}

}  // namespace
}  // namespace fixkeep::master
