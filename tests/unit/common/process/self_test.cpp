#include "common/process/self.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cerrno>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdlib>
#include <string>
#include <thread>

#include "tests/support/capabilities.hpp"

#include "tests/support/temporary_folder.hpp"

namespace fixkeep::process {
namespace {

TEST(Process, raises_its_limit_of_descriptors) {
  rlimit limit{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &limit), 0);
  limit.rlim_cur = std::min<rlim_t>(limit.rlim_max, 64);
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &limit), 0);
  EXPECT_EQ(raise_descriptor_limit(), limit.rlim_max);
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &limit), 0);
  EXPECT_EQ(limit.rlim_cur, limit.rlim_max);
}

// In a process of its own, which keeps what it ignores and the limit.
TEST(Process, goes_on_when_nobody_reads_and_when_a_file_may_not_grow) {
  const test::TemporaryFolder folder;
  const pid_t writer = ::fork();
  if (writer == 0) {
    ignore_signals_of_writes();
    const rlimit limit{1, 1};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    const int file = ::open((folder / "file").c_str(), O_WRONLY | O_CREAT, 0600);
    (void)!::write(file, "ab", 1);
    const bool too_big = ::write(file, "b", 1) < 0 && errno == EFBIG;
    std::array<int, 2> pipe{};
    const bool piped = ::pipe(pipe.data()) == 0 && ::close(pipe[0]) == 0;
    const bool broken = piped && ::write(pipe[1], "x", 1) < 0 && errno == EPIPE;
    ::_exit(too_big && broken ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(writer, &status, 0), writer);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}

// Each of the streams, and all of them.
TEST(Process, gives_the_number_of_a_standard_stream_that_was_closed_to_nothing_else) {
  for (int closed = 1; closed < 8; ++closed) {
    const pid_t child = ::fork();
    if (child == 0) {
      for (int stream = 0; stream < 3; ++stream) {
        if ((closed & 1 << stream) != 0) ::close(stream);
      }
      hold_standard_streams();
      const int next = ::open("/dev/zero", O_RDONLY);
      ::_exit(next > STDERR_FILENO && ::write(STDERR_FILENO, "", 0) == 0 ? 0 : 1);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << closed;
  }
}

TEST(Process, names_signals) {
  EXPECT_EQ(signal_name(SIGTERM), "SIGTERM");
  EXPECT_EQ(signal_name(1000), "signal 1000");
}

// Root may look into everything.
void become_somebody() {
  constexpr uid_t nobody = 65534;
  if (::geteuid() == 0 && ::setresuid(nobody, nobody, nobody) != 0) std::_Exit(1);
}

// What a process of a user reads of another process of that user; empty: it may not.
std::string environment_seen_by_a_neighbour(bool forbidden) {
  std::array<int, 2> ready{};
  std::array<int, 2> seen{};
  EXPECT_EQ(::pipe(ready.data()), 0);
  EXPECT_EQ(::pipe(seen.data()), 0);
  const pid_t secretive = ::fork();
  if (secretive == 0) {
    become_somebody();
    ::prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);  // as after the start of a program
    if (forbidden) forbid_inspection();
    (void)!::write(ready[1], "x", 1);
    ::pause();
  }
  char byte = 0;
  EXPECT_EQ(::read(ready[0], &byte, 1), 1);
  const pid_t neighbour = ::fork();
  if (neighbour == 0) {
    become_somebody();
    const auto folder = "/proc/" + std::to_string(secretive);
    std::string read;
    for (const char* name : {"/environ", "/mem", "/fd"}) {
      const int file = ::open((folder + name).c_str(), O_RDONLY);
      if (file >= 0) read += name;
    }
    (void)!::write(seen[1], read.data(), read.size());
    std::_Exit(0);
  }
  ::waitpid(neighbour, nullptr, 0);
  ::kill(secretive, SIGKILL);
  ::waitpid(secretive, nullptr, 0);
  ::close(seen[1]);  // nobody has it any more, so that the end is read
  std::array<char, 64> text{};
  const ssize_t count = ::read(seen[0], text.data(), text.size());
  for (const int each : {ready[0], ready[1], seen[0]}) ::close(each);
  return {text.data(), static_cast<std::size_t>(std::max<ssize_t>(count, 0))};
}

TEST(Process, is_not_looked_into_by_processes_of_the_same_user) {
  EXPECT_EQ(environment_seen_by_a_neighbour(false), "/environ/mem/fd");
  EXPECT_EQ(environment_seen_by_a_neighbour(true), "");
}

// Whether this thread may see what a descriptor of a process is.
bool looks_at_descriptors_of(pid_t process) {
  std::array<char, 256> target{};
  const auto link = "/proc/" + std::to_string(process) + "/fd/0";
  return ::readlink(link.c_str(), target.data(), target.size()) > 0;
}

TEST(Process, knows_whether_it_sees_processes_of_others) {
  if (::geteuid() != 0) {
    EXPECT_EQ(sees_processes_of_others(), looks_at_descriptors_of(1));
    return;
  }
  std::array<int, 2> changed{};
  ASSERT_EQ(::pipe(changed.data()), 0);
  const pid_t other = ::fork();
  if (other == 0) {
    become_somebody();
    (void)!::write(changed[1], "x", 1);
    ::pause();
  }
  char byte = 0;
  ASSERT_EQ(::read(changed[0], &byte, 1), 1);
  EXPECT_EQ(sees_processes_of_others(), looks_at_descriptors_of(other));
  std::thread{[other] {
    support::give_up_capability(CAP_SYS_PTRACE);
    EXPECT_FALSE(sees_processes_of_others());
    EXPECT_FALSE(looks_at_descriptors_of(other));
  }}.join();
  ::kill(other, SIGKILL);
  ::waitpid(other, nullptr, 0);
  for (const int each : changed) ::close(each);
}

}  // namespace
}  // namespace fixkeep::process
