#include "lab/web/world.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "common/base/lock_strategies.hpp"
#include "common/base/random.hpp"

namespace fixkeep::lab_web {
namespace {

using namespace std::chrono_literals;

Plan plan_of(std::string_view strategy, int masters, std::uint64_t seed) {
  Plan plan;
  plan.settings.strategy = strategy;
  plan.settings.masters = masters;
  plan.settings.seed = seed;
  return plan;
}

Command command_of(std::string_view text, const World& world) {
  Command command;
  EXPECT_EQ(read_act(text, command), "");
  command.step = world.steps();
  command.at = world.now();
  return command;
}

// Faults that no master takes for the end of another master's process.
Command mild_command(Random& random, const World& world, int masters) {
  const auto any = [&] { return std::to_string(random.between(1, masters)); };
  switch (random.below(6)) {
    case 0: return command_of("kill." + any(), world);
    case 1: return command_of("start." + any(), world);
    case 2: return command_of("slow." + any() + "." + any() + ".150", world);
    case 3: return command_of("slow." + any() + ".0.300", world);
    case 4: return command_of("heal." + any() + "." + any(), world);
    default: return command_of("leave." + any(), world);
  }
}

Command any_command(Random& random, const World& world, int masters) {
  const auto any = [&] { return std::to_string(random.between(1, masters)); };
  switch (random.below(8)) {
    case 0: return command_of("stop." + any(), world);
    case 1: return command_of("continue." + any(), world);
    case 2: return command_of("cut." + any() + "." + any(), world);
    case 3: return command_of("hold." + any() + "." + any(), world);
    case 4: return command_of("deliver." + any() + "." + any(), world);
    case 5: return command_of("heal." + any() + "." + any(), world);
    default: return mild_command(random, world, masters);
  }
}

template <class Choose, class Check>
std::uint64_t run_seeds(std::string_view strategy, Choose choose, Check check) {
  std::uint64_t grants = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const int masters = 2 + static_cast<int>(seed % 4);
    World world{plan_of(strategy, masters, seed)};
    Random random{seed};
    while (world.steps() < 800) {
      if (random.chance(0.02)) {
        (void)world.command(choose(random, world, masters));
      } else if (!world.step()) {
        break;
      }
      check(world, seed);
      if (testing::Test::HasFailure()) return 0;
    }
    grants += world.grants();
  }
  return grants;
}

TEST(World, has_one_holder_with_every_lock_of_the_mesh) {
  for (const auto& strategy : lock::strategies) {
    if (strategy.family != lock::Family::mesh) continue;
    const auto grants = run_seeds(strategy.name, mild_command, [&](const World& world, auto seed) {
      EXPECT_LE(world.holders().size(), 1U)
          << strategy.name << ", seed " << seed << ", step " << world.steps();
    });
    EXPECT_GT(grants, 1000U) << strategy.name;
  }
}

TEST(World, has_no_stale_write_whatever_breaks) {
  for (const auto& strategy : lock::strategies) {
    if (strategy.family != lock::Family::mesh) continue;
    const auto grants = run_seeds(strategy.name, any_command, [&](const World& world, auto) {
      EXPECT_EQ(world.stale_writes(), 0U);
    });
    EXPECT_GT(grants, 1000U) << strategy.name;
  }
}

TEST(World, has_two_holders_without_a_lock) {
  World world{plan_of("none", 3, 1)};
  while (world.holders().size() < 2) ASSERT_TRUE(world.step());
}

TEST(World, has_two_holders_without_the_rule_that_excludes_them) {
  Plan plan;
  ASSERT_EQ(read_plan("lock=ricart-agrawala&without=deferral", plan), "");
  World world{plan};
  while (world.holders().size() < 2) ASSERT_TRUE(world.step());
}

TEST(World, delivers_out_of_order_only_without_ordered_links) {
  for (const bool ordered : {true, false}) {
    Plan plan;
    ASSERT_EQ(read_plan("masters=2&players=hand&do=0@1000000.slow.1.2.300~0@1010000.ask.1"
                        "~0@1020000.leave.1~0@1030000.slow.1.2.0~0@1040000.ask.1",
                        plan),
              "");
    plan.settings.ordered_links = ordered;
    World world{plan};
    world.run(TimePoint{2s});
    std::vector<std::uint64_t> rounds;
    for (const auto& each : nlohmann::json::parse(world.records_json(0))) {
      if (each["what"] != "arrived" || each["message"]["what"] != "MyLock") continue;
      rounds.push_back(each["message"]["round"]);
    }
    const std::vector<std::uint64_t> sent{1, 2};
    const std::vector<std::uint64_t> reordered{2, 1};
    EXPECT_EQ(rounds, ordered ? sent : reordered);
  }
}

TEST(World, serves_every_master) {
  for (const auto& strategy : lock::strategies) {
    if (strategy.family == lock::Family::engine) continue;
    World world{plan_of(strategy.name, 4, 3)};
    world.run(TimePoint{20s});
    std::set<int> served;
    for (const auto& each : nlohmann::json::parse(world.records_json(0))) {
      if (each["what"] == "granted") served.insert(each["node"].get<int>());
    }
    EXPECT_EQ(served, (std::set<int>{1, 2, 3, 4})) << strategy.name;
  }
}

TEST(World, is_the_same_for_the_same_text) {
  const std::string text =
      "lock=multiphase&masters=4&seed=9&steps=600"
      "&do=100@800000.stop.1~130@1400000.cut.2.3~200@9000000.continue.1~300@0.heal.2.3~310@0.kill."
      "4";
  Plan plan;
  ASSERT_EQ(read_plan(text, plan), "");
  World one{plan};
  World other{plan};
  one.step_to(plan.steps);
  other.step_to(plan.steps);
  EXPECT_EQ(one.state_json(), other.state_json());
  EXPECT_EQ(one.records_json(0), other.records_json(0));
  EXPECT_EQ(one.steps(), 600U);
}

TEST(World, forgets_later_commands_when_it_gets_another_one) {
  Plan plan;
  ASSERT_EQ(read_plan("do=0@500000.stop.1~0@900000.kill.2~0@950000.kill.3", plan), "");
  World world{plan};
  world.run(TimePoint{600ms});
  EXPECT_EQ(world.commands().size(), 3U);
  EXPECT_TRUE(world.command(command_of("continue.1", world)));
  EXPECT_FALSE(world.command(command_of("continue.1", world)));
  world.run(TimePoint{2s});
  EXPECT_EQ(show(world.commands()).substr(0, 16), "0@500000.stop.1~");
  EXPECT_EQ(world.commands().size(), 2U);
  EXPECT_EQ(world.state_json().find("killed"), std::string::npos);
}

TEST(World, keeps_the_messages_of_a_cut_until_it_is_healed) {
  Plan plan = plan_of("multiphase", 2, 1);
  plan.settings.players = false;
  World world{plan};
  world.run(TimePoint{1s});
  EXPECT_TRUE(world.command(command_of("cut.1.2", world)));
  EXPECT_FALSE(world.command(command_of("cut.1.2", world)));
  EXPECT_TRUE(world.command(command_of("ask.1", world)));
  world.run(world.now() + 200ms);
  EXPECT_TRUE(world.holders().empty());
  EXPECT_TRUE(world.command(command_of("heal.1.2", world)));
  world.run(world.now() + 200ms);
  EXPECT_EQ(world.holders(), std::vector<int>{1});
}

// m1 gives up and asks again, so the answer to its first question counts only without rounds.
TEST(World, says_which_message_changes_nothing) {
  for (const bool rounds : {true, false}) {
    Plan plan;
    const std::string text = "masters=2&players=hand&fence=off";
    ASSERT_EQ(read_plan(rounds ? text : text + "&without=rounds", plan), "");
    World world{plan};
    world.run(TimePoint{1s});
    for (const char* act :
         {"hold.1.2", "hold.2.1", "ask.1", "leave.1", "ask.1", "deliver.1.2", "deliver.2.1"}) {
      ASSERT_TRUE(world.command(command_of(act, world))) << act;
    }
    std::vector<std::string> ignored;
    for (const auto& each : nlohmann::json::parse(world.records_json(0))) {
      if (each["what"] == "ignored") ignored.push_back(each["message"]["what"]);
    }
    EXPECT_EQ(ignored,
              (rounds ? std::vector<std::string>{"YourLock"} : std::vector<std::string>{}));
    EXPECT_EQ(world.holders().size(), rounds ? 0U : 1U);
  }
}

TEST(World, lets_a_stopped_holder_write_nothing_later) {
  Plan plan = plan_of("multiphase", 3, 1);
  plan.settings.players = false;
  World world{plan};
  world.run(TimePoint{1s});
  EXPECT_TRUE(world.command(command_of("ask.1", world)));
  world.run(world.now() + 200ms);
  EXPECT_EQ(world.holders(), std::vector<int>{1});
  EXPECT_TRUE(world.command(command_of("stop.1", world)));
  EXPECT_TRUE(world.command(command_of("ask.2", world)));
  world.run(world.now() + 700ms);
  EXPECT_EQ(world.holders(), (std::vector<int>{1, 2}));
  EXPECT_TRUE(world.command(command_of("continue.1", world)));
  EXPECT_TRUE(world.command(command_of("leave.1", world)));
  world.run(world.now() + 200ms);
  EXPECT_EQ(world.holders(), std::vector<int>{2});
  EXPECT_NE(world.records_json(0).find("\"refused\""), std::string::npos);
}

}  // namespace
}  // namespace fixkeep::lab_web
