#include "common/process/child_process.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "common/process/descriptor.hpp"
#include "tests/support/temporary_folder.hpp"

namespace fixkeep::process {
namespace {

using namespace std::chrono_literals;

class ChildProcessTest : public ::testing::Test {
 protected:
  [[nodiscard]] std::filesystem::path log() const { return folder_ / "log"; }
  [[nodiscard]] std::string logged() const {
    std::ifstream file{log()};
    return {std::istreambuf_iterator<char>{file}, {}};
  }

  test::TemporaryFolder folder_;
};

TEST_F(ChildProcessTest, says_how_it_ended) {
  auto child = ChildProcess::start({"/bin/sh", "-c", "echo out; echo err >&2; exit 3"}, log());
  ASSERT_TRUE(child);
  ASSERT_TRUE(child->wait(10s));
  EXPECT_EQ(child->how_it_ended(), "exit code 3");
  EXPECT_EQ(logged(), "out\nerr\n");
}

TEST_F(ChildProcessTest, keeps_nothing_open_that_is_ours) {
  const Descriptor ours{::open("/dev/null", O_RDONLY)};  // exec does not close it
  const auto there = "test -e /proc/self/fd/" + std::to_string(ours.get());
  auto child = ChildProcess::start({"/bin/sh", "-c", there}, log());
  ASSERT_TRUE(child && child->wait(10s));
  EXPECT_EQ(child->how_it_ended(), "exit code 1");
}

TEST_F(ChildProcessTest, is_ended_by_signals) {
  auto child = ChildProcess::start({"/bin/sleep", "60"}, log());
  ASSERT_TRUE(child);
  EXPECT_FALSE(child->wait(20ms));
  child->signal(SIGTERM);
  ASSERT_TRUE(child->wait(10s));
  EXPECT_EQ(child->how_it_ended(), "signal 15");
}

TEST_F(ChildProcessTest, that_cannot_be_executed_ends_with_127) {
  auto child = ChildProcess::start({"/no/such/program"}, log());
  ASSERT_TRUE(child);
  ASSERT_TRUE(child->wait(10s));
  EXPECT_EQ(child->how_it_ended(), "exit code 127");
}

TEST_F(ChildProcessTest, dies_with_its_object) {
  pid_t pid = 0;
  {
    auto child = ChildProcess::start({"/bin/sleep", "60"}, log());
    ASSERT_TRUE(child);
    pid = child->pid();
  }
  EXPECT_EQ(::kill(pid, 0), -1);
}

TEST_F(ChildProcessTest, orphans_are_found_and_ended) {
  adopt_orphans();
  auto child = ChildProcess::start({"/bin/sh", "-c", "sleep 60 & echo $!"}, log());
  ASSERT_TRUE(child);
  ASSERT_TRUE(child->wait(10s));
  const pid_t orphan = std::stoi(logged());
  EXPECT_EQ(::kill(orphan, 0), 0);
  EXPECT_EQ(end_orphans(), 1U);
  EXPECT_EQ(::kill(orphan, 0), -1);
}

TEST_F(ChildProcessTest, orphans_that_are_about_to_end_are_none) {
  adopt_orphans();
  auto child = ChildProcess::start({"/bin/sh", "-c", "sleep 0.2 &"}, log());
  ASSERT_TRUE(child);
  ASSERT_TRUE(child->wait(10s));
  EXPECT_EQ(end_orphans(10s), 0U);
}

}  // namespace
}  // namespace fixkeep::process
