// The race as a process: two clusters, one round after the other, and nothing left behind.
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <iterator>
#include <optional>
#include <regex>
#include <string>

#include "client-sim/cluster/cluster.hpp"
#include "common/process/child_process.hpp"
#include "tests/integration/checks.hpp"
#include "tests/support/http_calls.hpp"

namespace fixkeep::integration {
namespace {

using namespace std::chrono_literals;

constexpr auto race_limit = 60s;

class RunningRace {
 public:
  explicit RunningRace(std::vector<std::string> options) {
    const auto program = client_sim::program_folder() / "fixkeep-lab";
    options.insert(options.begin(), {program.string(), "race", "--port", "0"});
    auto started = process::ChildProcess::start(options, log_);
    EXPECT_TRUE(started) << started.error().message();
    if (started) process_ = std::move(*started);
  }
  ~RunningRace() { std::filesystem::remove(log_); }
  RunningRace(const RunningRace&) = delete;
  RunningRace& operator=(const RunningRace&) = delete;

  process::ChildProcess& process() { return process_; }
  [[nodiscard]] std::string output() const {
    std::ifstream file{log_};
    return {std::istreambuf_iterator<char>{file}, {}};
  }
  // Where it listens, once it does.
  [[nodiscard]] std::optional<client_sim::Endpoint> page() const {
    const auto printed = output();
    const auto begin = printed.find("http://");
    const auto end = printed.find("/\n", begin);
    if (begin == std::string::npos || end == std::string::npos) return {};
    return client_sim::parse_endpoint(printed.substr(begin, end - begin));
  }

 private:
  std::filesystem::path log_ = ::testing::TempDir() + "race-" + std::to_string(::getpid()) + ".log";
  process::ChildProcess process_;
};

TEST(Race, ends_after_its_rounds_with_both_bills) {
  RunningRace race{{"--rounds", "2", "--groups", "3", "--boot-ms", "100", "--masters", "2",
                    "--workers", "2", "--rate", "100"}};
  ASSERT_TRUE(race.process().wait(race_limit)) << race.output();
  EXPECT_EQ(race.process().how_it_ended(), "exit code 0");
  const auto output = race.output();
  EXPECT_TRUE(
      contains(output,
               "multiphase, after round 2: 6 rooms where 6 were needed, 0 collisions, 0.0 wasted "
               "room-seconds, 48 of 48 players seated\n"))
      << output;
  EXPECT_TRUE(contains(output, " rooms where 6 were needed")) << output;
  EXPECT_FALSE(contains(output, "kept")) << "configuration and logs are removed: " << output;
}

TEST(Race, of_rules_that_widen_tells_who_played_with_whom) {
  RunningRace race{{"--rules", "configs/matching/skirmish.json", "--rounds", "1", "--groups", "2",
                    "--group-players", "12", "--boot-ms", "100", "--masters", "2", "--workers", "2",
                    "--rate", "100", "--spread-ms", "500"}};
  ASSERT_TRUE(race.process().wait(race_limit)) << race.output();
  EXPECT_EQ(race.process().how_it_ended(), "exit code 0");
  const auto output = race.output();
  for (const std::string lock : {"none", "multiphase"}) {
    // Who finds nobody in time has no seat, so it is not said how many have one.
    const std::regex told{lock + R"(, after round 1: (\d+) rooms, \d+ orders refused, (\d+) of 24 )"
                                 R"(requests seated, spread p50 (\d+), p90 (\d+); wait)"};
    std::smatch found;
    ASSERT_TRUE(std::regex_search(output, found, told)) << output;
    EXPECT_GE(std::stoi(found[1]), 2) << "a pool each";
    EXPECT_GE(std::stoi(found[2]), 12) << output;
    EXPECT_GT(std::stoi(found[3]), 0) << output;
    EXPECT_GE(std::stoi(found[4]), std::stoi(found[3])) << output;
  }
}

TEST(Race, is_ended_by_a_signal_in_the_middle_of_a_round) {
  process::adopt_orphans();
  RunningRace race{{"--groups", "2", "--boot-ms", "1000", "--rate", "100"}};
  support::wait_until("a room boots", [&] {
    const auto page = race.page();
    if (!page) return false;
    const auto state = support::get_json(*page, "/state");
    return state.is_object() && contains(state.dump(), R"("stage":"booting")");
  });
  race.process().signal(SIGTERM);
  ASSERT_TRUE(race.process().wait(race_limit)) << race.output();
  EXPECT_EQ(race.process().how_it_ended(), "exit code 0") << race.output();
  EXPECT_TRUE(race.output().ends_with("Stopping.\n"))
      << "nothing had to be killed: " << race.output();
  EXPECT_EQ(process::end_orphans(), 0U);
}

}  // namespace
}  // namespace fixkeep::integration
