#include "master/rules/group_choice.hpp"

#include <gtest/gtest.h>

#include <chrono>

namespace fixkeep::master {
namespace {

using std::chrono::seconds;

TEST(GroupChoice, one_group_is_joined_at_once_and_for_good) {
  const GroupChoice groups{GroupKey{"duel"}};
  EXPECT_EQ(groups.now(Duration{0}), GroupKey{"duel"});
  EXPECT_EQ(groups.now(Duration::max()), GroupKey{"duel"});
  EXPECT_EQ(groups.next_change(Duration{0}), std::nullopt);
  EXPECT_EQ(groups.longest_key(), 4U);
}

TEST(GroupChoice, a_later_group_takes_the_place_of_the_one_before_at_its_age) {
  GroupChoice groups{GroupKey{"duel/skill=1000-1099"}};
  groups.then(seconds{10}, GroupKey{"duel/skill=1000-1199"});
  groups.then(seconds{30}, GroupKey{"duel"});
  EXPECT_EQ(groups.now(seconds{9}), GroupKey{"duel/skill=1000-1099"});
  EXPECT_EQ(groups.next_change(seconds{9}), seconds{10});
  EXPECT_EQ(groups.now(seconds{10}), GroupKey{"duel/skill=1000-1199"});
  EXPECT_EQ(groups.next_change(seconds{10}), seconds{30});
  EXPECT_EQ(groups.now(seconds{31}), GroupKey{"duel"});
  EXPECT_EQ(groups.next_change(seconds{30}), std::nullopt);
  EXPECT_EQ(groups.longest_key(), 20U);
}

TEST(GroupChoice, ages_ascend) {
  GroupChoice groups{GroupKey{"a"}};
  EXPECT_DEATH(groups.then(seconds{0}, GroupKey{"b"}), "assertion failed");
  groups.then(seconds{10}, GroupKey{"b"});
  EXPECT_DEATH(groups.then(seconds{10}, GroupKey{"c"}), "assertion failed");
}

}  // namespace
}  // namespace fixkeep::master
