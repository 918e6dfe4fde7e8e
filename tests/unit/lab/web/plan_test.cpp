#include "lab/web/plan.hpp"

#include <gtest/gtest.h>

#include <chrono>

namespace fixkeep::lab_web {
namespace {

using namespace std::chrono_literals;

TEST(PlanOfAWorld, has_settings_commands_and_steps) {
  Plan plan;
  ASSERT_EQ(read_plan("lock=maekawa&masters=5&seed=7&steps=250&players=hand&fence=off"
                      "&without=rounds.ordered-links&do=40@1200000.stop.2~41@1500000.slow.0.2.90",
                      plan),
            "");
  EXPECT_EQ(plan.settings.strategy, "maekawa");
  EXPECT_EQ(plan.settings.masters, 5);
  EXPECT_EQ(plan.settings.seed, 7U);
  EXPECT_FALSE(plan.settings.players);
  EXPECT_FALSE(plan.settings.fence);
  EXPECT_FALSE(plan.settings.rules.rounds);
  EXPECT_TRUE(plan.settings.rules.gated_reset);
  EXPECT_FALSE(plan.settings.ordered_links);
  EXPECT_EQ(plan.steps, 250U);
  ASSERT_EQ(plan.commands.size(), 2U);
  EXPECT_EQ(plan.commands[0].step, 40U);
  EXPECT_EQ(plan.commands[0].at, TimePoint{1200ms});
  EXPECT_EQ(plan.commands[0].act, Act::stop);
  EXPECT_EQ(plan.commands[1].act, Act::slow);
  EXPECT_EQ(plan.commands[1].b, 2);
  EXPECT_EQ(plan.commands[1].ms, 90);
}

TEST(PlanOfAWorld, names_the_first_mistake) {
  Plan plan;
  EXPECT_EQ(read_plan("", plan), "");
  EXPECT_EQ(read_plan("lock=etcd", plan), "lock cannot be \"etcd\"");
  EXPECT_EQ(read_plan("masters=10", plan), "masters cannot be \"10\"");
  EXPECT_EQ(read_plan("masters=3x", plan), "masters cannot be \"3x\"");
  EXPECT_EQ(read_plan("steps=99999999", plan), "steps cannot be \"99999999\"");
  EXPECT_EQ(read_plan("without=luck", plan), "without cannot be \"luck\"");
  EXPECT_EQ(read_plan("colour=red", plan), "a name cannot be \"colour\"");
  EXPECT_EQ(read_plan("do=1@2.stop", plan), "a command cannot be \"stop\"");
  EXPECT_EQ(read_plan("do=1@2.stop.1.2", plan), "a command cannot be \"stop.1.2\"");
  EXPECT_EQ(read_plan("do=1.stop.1", plan), "a command cannot be \"1.stop.1\"");
  EXPECT_EQ(read_plan("do=1@2.kick.1", plan), "a command cannot be \"kick.1\"");
  EXPECT_EQ(read_plan("do=1@2.stop.0", plan), "a command cannot be \"stop.0\"");
}

}  // namespace
}  // namespace fixkeep::lab_web
