// Every scenario in the folder lock, and every case in the folder machine; the runners are tested
// on themselves below.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "lock/core/rule_names.hpp"
#include "lock/tests/scenarios/lock_recording.hpp"
#include "lock/tests/scenarios/lock_scenario.hpp"
#include "lock/tests/scenarios/machine_script.hpp"
#include "lock/tests/scenarios/scenario_error.hpp"

namespace fixkeep::scenarios {
namespace {

const std::filesystem::path folder = FIXKEEP_SCENARIOS;

std::vector<std::string> names(const std::string& kind) {
  std::vector<std::string> all;
  for (const auto& entry : std::filesystem::directory_iterator{folder / kind}) {
    if (entry.path().extension() == ".txt") all.push_back(entry.path().stem().string());
  }
  std::sort(all.begin(), all.end());
  return all;
}

std::filesystem::path path_of(const std::string& kind, const std::string& name) {
  return folder / kind / (name + ".txt");
}

std::string text_of(const std::string& kind, const std::string& name) {
  std::ifstream file{path_of(kind, name)};
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const auto& line : lines) text += line + "\n";
  return text;
}

// Fills in what there is to be expected, in all files.
void rewrite_all() {
  for (const auto& name : names("lock")) {
    std::istringstream script{text_of("lock", name)};
    const auto text = rewrite_lock_scenario(script);
    std::ofstream{path_of("lock", name)} << text;
  }
  for (const auto& name : names("machine")) {
    std::string text;
    for (const auto& script : split_scripts(text_of("machine", name))) {
      text += joined(play(name, script.lines));
    }
    std::ofstream{path_of("machine", name)} << text;
  }
}

std::optional<std::string> run(const std::string& script, bool without_rule = false) {
  std::istringstream in{script};
  return run_lock_scenario(in, without_rule);
}

class LockScenario : public testing::TestWithParam<std::string> {};

TEST_P(LockScenario, holds) {
  const auto script = text_of("lock", GetParam());
  EXPECT_EQ(run(script).value_or("holds"), "holds");
  std::istringstream in{script};
  if (is_hole(in)) { EXPECT_EQ(run(script, true).value_or("two holders"), "two holders"); }
}

// scripts/web.sh makes a lesson from each scenario: two sentences at the top, and its recording.
TEST_P(LockScenario, is_a_lesson) {
  const auto script = text_of("lock", GetParam());
  std::istringstream lines{script};
  std::string head;
  for (std::string line; std::getline(lines, line) && line.starts_with("# ");) {
    head += line.substr(1);
  }
  const auto first = head.find(". ");
  EXPECT_NE(first, std::string::npos) << "two sentences: " << head;
  EXPECT_EQ(head.find(". ", first + 1), std::string::npos) << "two sentences: " << head;
  EXPECT_TRUE(head.ends_with('.')) << head;
  std::istringstream in{script};
  const bool hole = is_hole(in);
  for (const bool without : {false, true}) {
    if (without && !hole) continue;
    const auto recording = lock_recording(script, without);
    EXPECT_NE(recording.find(R"("records":[{)"), std::string::npos) << recording;
  }
}

INSTANTIATE_TEST_SUITE_P(Lock, LockScenario, testing::ValuesIn(names("lock")),
                         [](const auto& name) { return name.param; });

// A case of a file in lock/tests/scenarios/machine.
struct MachineCase {
  std::string strategy;
  MachineScript script;
};

std::vector<MachineCase> machine_cases() {
  std::vector<MachineCase> all;
  for (const auto& strategy : names("machine")) {
    for (const auto& script : split_scripts(text_of("machine", strategy))) {
      if (!script.name.empty()) all.push_back({strategy, script});
    }
  }
  return all;
}

class LockMachine : public testing::TestWithParam<MachineCase> {};

TEST_P(LockMachine, does) {
  const auto& [strategy, script] = GetParam();
  EXPECT_EQ(joined(play(strategy, script.lines)), joined(script.lines));
}

INSTANTIATE_TEST_SUITE_P(Lock, LockMachine, testing::ValuesIn(machine_cases()),
                         [](const auto& one) {
                           auto name = one.param.strategy + "_" + one.param.script.name;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(LockRules, hold_unless_they_are_left_out_one_by_one) {
  for (const auto& [name, rule] : lock::named_rules) {
    lock::Rules rules;
    EXPECT_TRUE(rules.*rule) << name;
    EXPECT_TRUE(lock::leave_out(name, rules));
    EXPECT_FALSE(rules.*rule) << name;
    rules.*rule = true;
    EXPECT_EQ(rules, lock::Rules{}) << name;
  }
  lock::Rules rules;
  EXPECT_FALSE(lock::leave_out("wheels", rules));
}

TEST(LockScenarioRunner, says_which_line_fails) {
  EXPECT_EQ(run("nodes 2\nexpect holder 1\n"),
            "line 2, `expect holder 1`: it ought to be `expect no holder`");
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

TEST(LockRecording, has_the_state_after_each_line_and_what_happened) {
  EXPECT_EQ(
      lock_recording("nodes 1\n# nothing\nacquire 1\n", false),
      R"({"masters":1,"steps":[{"line":0,"at":0,"nodes":[{"state":"idle","token":"","up":[]}]},)"
      R"({"line":3,"at":40000,"nodes":[{"state":"acquired","token":"1","up":[]}]}],)"
      R"("records":[{"step":1,"at":40000,"what":"asks","node":1,"peer":0},)"
      R"({"step":1,"at":40000,"what":"granted","node":1,"peer":0,"token":"1"}]})");
  EXPECT_THROW((void)lock_recording("nodes 2\nexpect holder 1\n", false), ScenarioError);
  EXPECT_THROW((void)lock_recording("hole without rounds\nnodes 2\n", true), ScenarioError);
}

TEST(LockScenarioRunner, fills_in_what_there_is_to_be_expected) {
  const std::string written = "nodes 2\nacquire 1\ndeliver all\n";
  std::istringstream wrong{written + "expect holder 2   # c\nexpect no fence 1\nexpect token 1\n"};
  EXPECT_EQ(rewrite_lock_scenario(wrong),
            written + "expect holder 1   # c\nexpect fence 1\nexpect token 1 1\n");
}

TEST(LockMachineRunner, says_what_it_does_not_understand) {
  const auto complaint = [](const std::string& line) {
    try {
      (void)play("multiphase", {"case a: master 1 of 2", line});
      return std::string{};
    } catch (const ScenarioError& error) { return std::string{error.what()}; }
  };
  EXPECT_EQ(complaint("jump"), "`jump`: no such event: jump");
  EXPECT_EQ(complaint("YourLock(1)"), "`YourLock(1)`: no such event: YourLock(1)");
  EXPECT_EQ(complaint("Grant(1) of 2"), "`Grant(1) of 2`: no such message: Grant");
  EXPECT_EQ(complaint("tick => granted"), "");
}

TEST(LockScenarioRunner, wants_two_holders_of_a_hole) {
  EXPECT_EQ(run("hole without rounds\nnodes 2\nacquire 1\n", true),
            "without the rule it still holds");
}

}  // namespace
}  // namespace fixkeep::scenarios

// --rewrite: fills in what there is to be expected, in all scenarios and scripts.
int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  if (argc == 1) return RUN_ALL_TESTS();
  if (argc > 2 || std::string_view{argv[1]} != "--rewrite") return 2;
  fixkeep::scenarios::rewrite_all();
  return 0;
}
