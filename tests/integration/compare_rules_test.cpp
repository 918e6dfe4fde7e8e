// A comparison of a mode whose rules widen, as a process: three masters decide for one pool, and
// the judge finds nothing wrong with what they decided.
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

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

TEST(CompareRules, a_lock_of_three_masters_makes_no_room_that_need_not_have_been) {
  const test::TemporaryFolder folder;
  const auto log = folder / "log";
  const auto json = folder / "runs.json";
  const auto program = client_sim::program_folder() / "fixkeep-client-sim";
  auto started = process::ChildProcess::start(
      {program.string(), "compare", "--rules", "configs/matching/skirmish.json", "--locks",
       "multiphase", "--workers", "2", "--players", "30", "--rate", "15", "--boot-ms", "50",
       "--json", json.string()},
      log);
  ASSERT_TRUE(started) << started.error().message();
  ASSERT_TRUE(started->wait(200s)) << text_of(log);
  EXPECT_EQ(started->how_it_ended(), "exit code 0") << text_of(log);
  const auto runs = nlohmann::json::parse(text_of(json))["runs"];
  ASSERT_EQ(runs.size(), 1U);
  const auto& pool = runs[0]["pool"];
  EXPECT_GE(pool["orders"], 2) << runs[0];
  EXPECT_GE(pool["decisions"], pool["orders"].get<int>() / 5) << runs[0];
  for (const char* fault : {"too_wide", "needless", "loose", "seated_twice"}) {
    EXPECT_EQ(pool[fault], 0) << runs[0];
  }
  EXPECT_GE(runs[0]["seated"], 20) << runs[0];
  EXPECT_GT(pool["spread"]["max"], 0) << runs[0];
  EXPECT_TRUE(runs[0]["duplicate_rooms"] == 0 && runs[0]["collisions"].is_null()) << runs[0];
}

}  // namespace
}  // namespace fixkeep::integration
