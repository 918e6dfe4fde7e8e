// A comparison of a mode whose rules widen, as a process: three masters decide for one pool, one of
// them fails, or they are far apart, and the judge finds nothing wrong with what they decided.
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "client-sim/cluster/cluster.hpp"
#include "common/process/child_process.hpp"
#include "tests/support/temporary_folder.hpp"

namespace fixkeep::integration {
namespace {

using namespace std::chrono_literals;

std::string text_of(const std::filesystem::path& path) {
  std::ifstream file{path};
  return {std::istreambuf_iterator<char>{file}, {}};
}

// Runs it with this beside the usual, and returns the only run.
nlohmann::json judged(const std::vector<std::string>& faults,
                      const std::string& rules = "configs/matching/skirmish.json") {
  const test::TemporaryFolder folder;
  const auto log = folder / "log";
  const auto json = folder / "runs.json";
  const auto program = client_sim::program_folder() / "fixkeep-lab";
  std::vector<std::string> arguments{program.string(), "pools",      "--rules",   rules,
                                     "--locks",        "multiphase", "--workers", "2",
                                     "--boot-ms",      "50",         "--json",    json.string()};
  arguments.insert(arguments.end(), faults.begin(), faults.end());
  auto started = process::ChildProcess::start(arguments, log);
  EXPECT_TRUE(started);
  if (!started || !started->wait(200s)) {
    ADD_FAILURE() << text_of(log);
    return {};
  }
  EXPECT_EQ(started->how_it_ended(), "exit code 0") << text_of(log);
  const auto runs = nlohmann::json::parse(text_of(json))["runs"];
  EXPECT_EQ(runs.size(), 1U);
  const auto& pool = runs[0]["pool"];
  EXPECT_GE(pool["orders"], 2) << runs[0];
  for (const char* fault : {"too_wide", "needless", "loose", "seated_twice"}) {
    EXPECT_EQ(pool[fault], 0) << runs[0];
  }
  EXPECT_GT(pool["spread"]["max"], 0) << runs[0];
  EXPECT_TRUE(runs[0]["duplicate_rooms"] == 0 && runs[0]["collisions"].is_null()) << runs[0];
  return runs[0];
}

// Old command lines go on, and are told the new one.
TEST(Laboratory, answers_to_the_names_that_its_commands_had) {
  const test::TemporaryFolder folder;
  const auto program = (client_sim::program_folder() / "fixkeep-client-sim").string();
  const auto said = [&](std::vector<std::string> arguments, const char* end) {
    arguments.insert(arguments.begin(), program);
    auto started = process::ChildProcess::start(arguments, folder / "log");
    EXPECT_TRUE(started && started->wait(100s));
    EXPECT_EQ(started->how_it_ended(), end);
    return text_of(folder / "log");
  };
  const auto replay = said({"replay", "configs/matching/duel.json", "--check"}, "exit code 0");
  EXPECT_NE(replay.find("fixkeep-lab replay"), std::string::npos) << replay;
  EXPECT_NE(replay.find("The rules are fine."), std::string::npos) << replay;
  const auto pools = said({"compare", "--rules=nowhere.json"}, "exit code 2");
  EXPECT_NE(pools.find("fixkeep-lab pools"), std::string::npos) << pools;
  EXPECT_NE(pools.find("nowhere.json: cannot be read"), std::string::npos) << pools;
}

TEST(CompareRules, a_lock_of_three_masters_makes_no_room_that_need_not_have_been) {
  const auto run = judged({"--players", "30", "--rate", "15"});
  const auto& pool = run["pool"];
  EXPECT_GE(pool["decisions"], pool["orders"].get<int>() / 5) << run;
  EXPECT_GE(run["seated"], 20) << run;
}

TEST(CompareRules, every_token_says_the_team_of_its_answer) {
  const test::TemporaryFolder folder;
  nlohmann::json mode =
      nlohmann::json::parse(text_of("configs/matching/skirmish.json"), nullptr, true, true);
  mode["rules"]["teams"] = {{"count", 2}, {"size", 3}};
  std::ofstream{folder / "rules.json"} << mode;
  const auto run = judged({"--players", "24", "--rate", "15"}, (folder / "rules.json").string());
  EXPECT_GE(run["pool"]["teams"]["rooms"], 2) << run;
  EXPECT_EQ(run["wrong_tokens"], 0) << run;
}

// A fault strikes in the middle of the arrivals, and is over before the last of them.
std::vector<std::string> with_fault(const char* option, const char* lasts) {
  return {"--players", "60", "--rate", "12", option, lasts, "--master-fault-at-ms", "1500"};
}

TEST(CompareRules, a_master_that_stops_and_wakes_seats_nobody_twice) {
  const auto run = judged(with_fault("--stop-master-ms", "2500"));
  EXPECT_EQ(run["stopped_master_ms"], 2500);
  EXPECT_GE(run["seated"], 40) << run;
}

TEST(CompareRules, a_master_that_is_killed_and_comes_back_seats_nobody_twice) {
  const auto run = judged(with_fault("--kill-master-ms", "1500"));
  EXPECT_EQ(run["killed_master_ms"], 1500);
  EXPECT_GE(run["seated"], 40) << run;
}

TEST(CompareRules, a_master_that_is_cut_off_and_comes_back_seats_nobody_twice) {
  const auto run = judged(with_fault("--cut-master-ms", "3000"));
  EXPECT_EQ(run["cut_master_ms"], 3000);
  EXPECT_GE(run["seated"], 40) << run;
}

TEST(CompareRules, masters_that_are_far_apart_decide_as_one) {
  const auto run = judged({"--players", "40", "--rate", "12", "--link-delay-ms", "80"});
  EXPECT_GE(run["seated"], 25) << run;
}

}  // namespace
}  // namespace fixkeep::integration
