#include "common/process/process_group.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <string>

#include "common/process/proc.hpp"
#include "common/process/spawn.hpp"

namespace fixkeep::process {
namespace {

// A process that leads a group, and says a line when all of its group is there.
class ProcessGroupTest : public ::testing::Test {
 protected:
  void TearDown() override {
    ::close(pipe_[0]);
    ::close(pipe_[1]);
  }
  pid_t start(const std::string& script) {
    EXPECT_EQ(::pipe2(pipe_.data(), O_CLOEXEC), 0);
    const int null = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
    const auto child =
        spawn({"/bin/sh", {"sh", "-c", script}, {"PATH=/usr/bin:/bin"}, null, pipe_[1], {}});
    ::close(null);
    EXPECT_TRUE(child);
    return child ? *child : 0;
  }
  std::string line() {
    std::string text;
    for (char c = 0; ::read(pipe_[0], &c, 1) == 1 && c != '\n';) text += c;
    return text;
  }
  static bool readable(int descriptor, int limit_ms) {
    pollfd entry{.fd = descriptor, .events = POLLIN, .revents = 0};
    return ::poll(&entry, 1, limit_ms) == 1;
  }

  std::array<int, 2> pipe_{-1, -1};
};

TEST_F(ProcessGroupTest, says_how_a_process_ended) {
  EXPECT_EQ(how_it_ended(reap(start("exit 3"))), "exit code 3");
  TearDown();
  EXPECT_EQ(how_it_ended(reap(start("kill -SEGV $$"))), "signal SIGSEGV");
}

TEST_F(ProcessGroupTest, the_watch_is_readable_once_the_process_has_ended) {
  const pid_t child = start("exec sleep 600");
  const auto watch = open_watch(child);
  ASSERT_TRUE(watch);
  EXPECT_FALSE(readable(*watch, 50));
  signal_group(child, SIGTERM);
  EXPECT_TRUE(readable(*watch, 10'000));
  EXPECT_EQ(how_it_ended(end_group(child)), "signal SIGTERM") << "its own end, not ours";
  ::close(*watch);
}

TEST_F(ProcessGroupTest, ends_with_all_that_it_has_started) {
  const pid_t child = start("sleep 600 & echo $!; wait");
  const pid_t grandchild = std::stoi(line());
  EXPECT_EQ(how_it_ended(end_group(child)), "signal SIGKILL");
  for (int tries = 0; alive(grandchild) && tries < 2000; ++tries) ::usleep(5000);
  EXPECT_FALSE(alive(grandchild));
  EXPECT_EQ(::waitpid(child, nullptr, WNOHANG), -1) << "it is not reaped";
}

TEST_F(ProcessGroupTest, what_is_gone_already_cannot_be_watched) {
  const pid_t child = start("exit 0");
  reap(child);
  EXPECT_FALSE(open_watch(child));
}

}  // namespace
}  // namespace fixkeep::process
