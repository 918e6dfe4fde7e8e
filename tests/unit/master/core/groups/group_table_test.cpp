#include "master/core/groups/group_table.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "master/core/claims/claims.hpp"
#include "master/core/groups/questions.hpp"

namespace fixkeep::master {
namespace {

using testing::ElementsAre;

struct Groups : testing::Test {
  // A group with a claim, so that it is not forgotten.
  Group& make(const std::string& key) {
    Group& group = table.find_or_make(GroupKey{key}, {ModeName{"duel"}, 2});
    (void)claims.add(group, {.player = PlayerId{"of " + key}}, SeatScope::mode);
    (void)run();
    return group;
  }
  std::vector<std::string> run() {
    std::vector<std::string> ran;
    table.run_marked([&](const Group& group) { ran.push_back(group.key.text()); });
    return ran;
  }

  const TimePoint now{Duration{100}};
  GroupTable table{HoldOptions{}};
  Claims claims{table};
  Questions questions;
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
  Group& group = table.find_or_make(GroupKey{"a"}, {ModeName{"duel"}, 2});
  const auto runs_and_is_there = [&] {
    table.mark(group);
    (void)run();
    return table.size() == 1;
  };
  const ClaimNumber claim = claims.add(group, {.player = PlayerId{"p"}}, SeatScope::mode);
  EXPECT_TRUE(runs_and_is_there());
  table.set_waits_for_lock(group, true);
  claims.erase(claim);
  EXPECT_TRUE(runs_and_is_there());
  const WorkerId worker{"w1"};
  const auto order = questions.put({&group, worker, OrderQuestion{}}, now, Duration{1});
  table.set_waits_for_lock(group, false);
  EXPECT_TRUE(runs_and_is_there());
  EXPECT_TRUE(questions.take<OrderQuestion>(order, worker));
  table.sleep(group, 1);
  EXPECT_FALSE(runs_and_is_there());
  make("a");
  EXPECT_EQ(table.wake(2, 10), 0U) << "not for a group that is gone, nor for one that is new";
  EXPECT_THAT(run(), ElementsAre());
}

TEST_F(Groups, a_group_that_has_found_capacity_does_not_sleep_and_may_be_forgotten) {
  Group& group = table.find_or_make(GroupKey{"a"}, {ModeName{"duel"}, 2});
  table.sleep(group, 1);
  table.found_capacity(group);  // it was run for another reason, before it was its turn to wake
  EXPECT_EQ(table.sleeping(), 0U);
  table.mark(group);
  (void)run();
  EXPECT_EQ(table.size(), 0U);
  EXPECT_EQ(table.wake(2, 10), 0U);
}

TEST_F(Groups, the_rooms_of_a_group_do_not_shrink_nor_change_their_mode_while_it_has_claims) {
  Group& group = make("a");
  const auto ask = [&](const char* mode, std::uint32_t capacity) {
    (void)table.find_or_make(GroupKey{"a"}, {ModeName{mode}, capacity});
    return group.rooms->mode.text() + " " + std::to_string(group.rooms->capacity);
  };
  EXPECT_EQ(ask("duel", 1), "duel 2");
  EXPECT_EQ(ask("other", 4), "duel 4");
  table.set_waits_for_lock(group, true);
  claims.erase(claims.same(group, {.player = PlayerId{"of a"}}).value());
  EXPECT_EQ(ask("other", 3), "other 3");
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
