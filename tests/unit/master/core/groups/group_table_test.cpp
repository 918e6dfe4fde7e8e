#include "master/core/groups/group_table.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace fixkeep::master {
namespace {

using testing::ElementsAre;

struct Groups : testing::Test {
  // A group with a claim, so that it is not forgotten.
  Group& make(const std::string& key) {
    Group& group = table.find_or_make(GroupKey{key});
    group.members = 1;
    return group;
  }
  std::vector<std::string> run() {
    std::vector<std::string> ran;
    table.run_marked([&](const Group& group) { ran.push_back(group.key.text()); });
    return ran;
  }

  const TimePoint now{Duration{100}};
  GroupTable table{HoldOptions{}};
};

TEST_F(Groups, a_group_that_is_marked_while_others_run_runs_too) {
  Group& a = make("a");
  Group& b = make("b");
  table.mark(b);
  std::vector<std::string> ran;
  table.run_marked([&](const Group& group) {
    ran.push_back(group.key.text());
    if (&group == &b) table.mark(a);
  });
  EXPECT_THAT(ran, ElementsAre("b", "a"));
}

TEST_F(Groups, a_group_without_claims_questions_or_lock_is_forgotten_when_it_has_run) {
  Group& group = make("a");
  group.members = 0;
  group.waits_for_lock = true;
  table.mark(group);
  run();
  EXPECT_EQ(table.size(), 1U);
  group.waits_for_lock = false;
  group.asked.orders = {1};
  table.mark(group);
  run();
  EXPECT_EQ(table.size(), 1U);
  group.asked.orders = {};
  table.sleep(group, 1);
  table.mark(group);
  run();
  EXPECT_EQ(table.size(), 0U);
  make("a");
  table.wake(2, 10);  // not for a group that is gone, nor for one that has come since
  EXPECT_THAT(run(), ElementsAre());
}

TEST_F(Groups, a_group_is_marked_at_its_time) {
  Group& group = make("a");
  table.mark_at(now, group);
  table.mark_at(now + Duration{5}, group);
  EXPECT_EQ(table.next_mark(), now);
  table.mark_due(now - Duration{1});
  EXPECT_THAT(run(), ElementsAre());
  table.mark_due(now);
  EXPECT_THAT(run(), ElementsAre("a"));
  table.forget_mark(now + Duration{5}, group);
  EXPECT_EQ(table.next_mark(), TimePoint::max());
}

TEST_F(Groups, no_more_sleepers_wake_than_there_is_room_for_and_those_first_that_wait_longest) {
  for (const char* key : {"c", "a", "b"}) table.sleep(make(key), 1);
  EXPECT_TRUE(table.wake(2, 2));
  EXPECT_THAT(run(), ElementsAre("c", "a"));
  table.sleep(*table.find(GroupKey{"a"}), 2);
  EXPECT_TRUE(table.wake(2, 2));
  EXPECT_THAT(run(), ElementsAre("b")) << "the other one has found nothing at this generation";
  EXPECT_FALSE(table.wake(2, 2));
  table.sleep(*table.find(GroupKey{"c"}), 2);
  EXPECT_TRUE(table.wake(3, 1));
  EXPECT_THAT(run(), ElementsAre("c")) << "it keeps its place";
  EXPECT_FALSE(table.wake(3, 0));
  EXPECT_EQ(table.sleeping(), 1U);
}

}  // namespace
}  // namespace fixkeep::master
