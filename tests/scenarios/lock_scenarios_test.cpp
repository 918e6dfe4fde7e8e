// Every file in tests/scenarios/lock, each a case of its own; the runner is tested on itself below.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/scenarios/lock_scenario.hpp"

namespace fixkeep::scenarios {
namespace {

const std::filesystem::path folder = FIXKEEP_SCENARIOS "/lock";

std::vector<std::string> names() {
  std::vector<std::string> all;
  for (const auto& entry : std::filesystem::directory_iterator{folder}) {
    if (entry.path().extension() == ".txt") all.push_back(entry.path().stem().string());
  }
  std::sort(all.begin(), all.end());
  return all;
}

std::string text_of(const std::string& name) {
  std::ifstream file{folder / (name + ".txt")};
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

std::optional<std::string> run(const std::string& script, bool without_rule = false) {
  std::istringstream in{script};
  return run_lock_scenario(in, without_rule);
}

class LockScenario : public testing::TestWithParam<std::string> {};

TEST_P(LockScenario, holds) {
  const auto script = text_of(GetParam());
  EXPECT_EQ(run(script).value_or("holds"), "holds");
  std::istringstream in{script};
  if (is_hole(in)) { EXPECT_EQ(run(script, true).value_or("two holders"), "two holders"); }
}

INSTANTIATE_TEST_SUITE_P(Lock, LockScenario, testing::ValuesIn(names()),
                         [](const auto& name) { return name.param; });

TEST(LockScenarioRunner, says_which_line_fails) {
  EXPECT_EQ(run("nodes 2\nexpect holder 1\n"), "line 2, `expect holder 1`: held by nobody");
  EXPECT_EQ(run("nodes 2\nacquire 1 2\n"), "line 2, `acquire 1 2`: what does `2` mean?");
  EXPECT_EQ(run("acquire 1\n"), "line 1, `acquire 1`: `nodes` or `boot` comes first");
  EXPECT_EQ(run("nodes 2\ndeliver 1->2\n"), "line 2, `deliver 1->2`: nothing is on its way");
  EXPECT_EQ(run("nodes 2\njump 1\n"), "line 2, `jump 1`: no such command: jump");
}

TEST(LockScenarioRunner, fails_where_expectations_are_wrong) {
  const std::string held = "nodes 2\nacquire 1\ndeliver all\n";
  for (const auto* wrong :
       {"expect no holder", "expect holder 2", "expect state 1 idle", "expect no fence 1",
        "expect token 1 2", "expect value 1 x", "expect sent 3", "expect token 2 1"}) {
    EXPECT_TRUE(run(held + wrong + "\n")) << wrong;
  }
  EXPECT_FALSE(run(held + "expect holder 1\nexpect fence 1\nexpect token 1 1\nexpect sent 2\n"));
}

TEST(LockScenarioRunner, plays_the_lock_that_a_scenario_names) {
  EXPECT_EQ(run("strategy lamport\nnodes 2\nacquire 1\ndeliver 1->2 MyLock(1)\n"),
            "line 4, `deliver 1->2 MyLock(1)`: the next message is Request(1)");
  EXPECT_EQ(run("strategy abacus\n"), "line 1, `strategy abacus`: no such strategy: abacus");
  EXPECT_EQ(run("nodes 2\nstrategy lamport\n"),
            "line 2, `strategy lamport`: comes before `nodes` and `boot`");
  EXPECT_EQ(run("strategy lamport\nhole without wheels\n"),
            "line 2, `hole without wheels`: no such rule: wheels");
  EXPECT_EQ(run("nodes 2\ntick 1\n"), "line 2, `tick 1`: has set no timer");
}

TEST(LockScenarioRunner, wants_two_holders_of_a_hole) {
  EXPECT_EQ(run("hole without rounds\nnodes 2\nacquire 1\n", true),
            "without the rule it still holds");
}

}  // namespace
}  // namespace fixkeep::scenarios
