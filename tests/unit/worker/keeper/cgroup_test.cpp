// Control groups of this machine, and folders with files of the same names where a controller of
// the other version is meant.
#include "worker/keeper/cgroup.hpp"

#include <gmock/gmock.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>

#include "tests/support/temporary_folder.hpp"

namespace fixkeep::worker::keeper {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
namespace fs = std::filesystem;

std::string unique_name() {
  return "fixkeep-test-" + std::to_string(::getpid()) + "-" +
         testing::UnitTest::GetInstance()->current_test_info()->name();
}

// A folder in the first place that lets us make one; empty: this machine has none.
std::string make_real_folder(std::initializer_list<const char*> places) {
  for (const char* place : places) {
    const auto folder = std::string{place} + "/" + unique_name();
    if (!fs::exists(std::string{place} + "/cgroup.procs")) continue;
    if (::mkdir(folder.c_str(), 0755) == 0) return folder;
  }
  return {};
}

struct RealCgroup : testing::Test {
  ~RealCgroup() override { EXPECT_TRUE(cgroup().end_within(seconds{10})); }

  [[nodiscard]] Cgroup cgroup() const { return folder.empty() ? Cgroup{} : Cgroup{{folder}}; }
  // A process in it that goes on until it is killed.
  [[nodiscard]] pid_t start_in_it() const {
    const Cgroup target = cgroup();
    const pid_t child = ::fork();
    if (child == 0) {
      if (target.enter() != 0) ::_exit(1);
      for (;;) ::pause();
    }
    const auto until = std::chrono::steady_clock::now() + seconds{10};
    while (target.members().empty() && std::chrono::steady_clock::now() < until) ::usleep(1000);
    return child;
  }
  // Whether there is one; it is said if not, since nothing is tested then.
  [[nodiscard]] bool there_is_one() const {
    if (folder.empty()) std::puts("this machine has no control groups that we may make");
    return !folder.empty();
  }

  std::string folder =
      make_real_folder({"/sys/fs/cgroup/unified", "/sys/fs/cgroup", "/sys/fs/cgroup/pids"});
};

// Version 1, which has no cgroup.kill.
struct OldCgroup : RealCgroup {
  OldCgroup() {
    (void)cgroup().remove();
    folder = make_real_folder({"/sys/fs/cgroup/pids"});
  }
};

// Each process lives for a moment, and has one child of a session of its own. The first one is
// gone when this returns, the last one after half a minute.
void start_chain(const Cgroup& cgroup) {
  const pid_t first = ::fork();
  if (first == 0) {
    if (cgroup.enter() != 0) ::_exit(1);
    for (int links = 0; links < 15'000; ++links) {
      ::usleep(2000);
      if (::fork() != 0) ::_exit(0);
      ::setsid();
    }
    ::_exit(0);
  }
  ASSERT_EQ(::waitpid(first, nullptr, 0), first);
}

TEST_F(RealCgroup, names_who_is_in_it_and_not_who_asks) {
  if (!there_is_one()) return;
  EXPECT_THAT(cgroup().members(), testing::IsEmpty());
  const pid_t child = start_in_it();
  EXPECT_THAT(cgroup().members(), testing::ElementsAre(child));
  EXPECT_FALSE(cgroup().remove()) << "somebody is in it";
  cgroup().kill_all();
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) << status;
  EXPECT_TRUE(cgroup().end_within(seconds{10}));
  EXPECT_FALSE(fs::exists(folder));
  EXPECT_TRUE(cgroup().remove()) << "it is gone, which is what was wanted";
}

TEST_F(RealCgroup, ends_what_forks_while_it_is_killed) {
  if (!there_is_one()) return;
  start_chain(cgroup());
  EXPECT_FALSE(cgroup().remove()) << "the others go on";
  EXPECT_TRUE(cgroup().end_within(seconds{10}));
  EXPECT_FALSE(fs::exists(folder));
}

TEST_F(OldCgroup, ends_what_forks_while_it_is_killed) {
  if (!there_is_one()) return;
  start_chain(cgroup());
  EXPECT_FALSE(cgroup().remove()) << "the others go on";
  EXPECT_TRUE(cgroup().end_within(seconds{10}));
  EXPECT_FALSE(fs::exists(folder));
}

TEST_F(RealCgroup, has_the_child_of_its_fork_and_not_the_parent) {
  if (!there_is_one()) return;
  const auto forked = cgroup().fork();
  if (forked.pid == 0) {
    if (forked.error != 0) ::_exit(1);
    for (;;) ::pause();
  }
  ASSERT_GT(forked.pid, 0);
  EXPECT_EQ(forked.error, 0);
  const auto until = std::chrono::steady_clock::now() + seconds{10};
  while (cgroup().members().empty() && std::chrono::steady_clock::now() < until) ::usleep(1000);
  EXPECT_THAT(cgroup().members(), testing::ElementsAre(forked.pid));
  EXPECT_EQ(read_control("/proc/self/cgroup").find(unique_name()), std::string::npos);
  cgroup().kill_all();
  EXPECT_EQ(::waitpid(forked.pid, nullptr, 0), forked.pid);
}

TEST_F(RealCgroup, that_is_gone_has_no_child) {
  if (!there_is_one()) return;
  ASSERT_TRUE(cgroup().remove());
  const auto forked = cgroup().fork();
  if (forked.pid == 0) ::_exit(forked.error);
  int status = 0;
  ASSERT_EQ(::waitpid(forked.pid, &status, 0), forked.pid);
  EXPECT_EQ(WEXITSTATUS(status), ENOENT);
}

// In version 1, and in a mixture of both, the child enters what it was not born in.
TEST_F(OldCgroup, has_the_child_of_its_fork_beside_a_group_of_version_2) {
  if (!there_is_one()) return;
  const auto unified = make_real_folder({"/sys/fs/cgroup/unified", "/sys/fs/cgroup"});
  const Cgroup both{unified.empty() ? std::vector{folder} : std::vector{unified, folder}};
  const auto name = unique_name();
  const auto forked = both.fork();
  if (forked.pid == 0) {
    const auto own = read_control("/proc/self/cgroup");
    const auto first = own.find(name);
    const bool in_both = unified.empty() || own.find(name, first + 1) != std::string::npos;
    ::_exit(forked.error == 0 && first != std::string::npos && in_both ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(forked.pid, &status, 0), forked.pid);
  EXPECT_EQ(status, 0);
  EXPECT_TRUE(both.end_within(seconds{10}));
}

TEST_F(RealCgroup, that_is_gone_cannot_be_entered) {
  if (!there_is_one()) return;
  ASSERT_TRUE(cgroup().remove());
  EXPECT_EQ(cgroup().enter(), ENOENT);
  EXPECT_THAT(cgroup().members(), testing::IsEmpty());
  EXPECT_EQ(cgroup().reached(), Cgroup::Reached::none);
}

TEST(Cgroup, that_is_none_is_entered_and_ended_by_nothing) {
  const Cgroup none;
  EXPECT_FALSE(none.exists());
  EXPECT_EQ(none.enter(), 0);
  none.kill_all();
  EXPECT_TRUE(none.end_within(milliseconds{0}));
}

// Files as the kernel writes them.
struct WrittenCgroup : testing::Test {
  void write(const std::string& name, const std::string& text) const {
    std::ofstream{folder / name} << text;
  }
  [[nodiscard]] Cgroup cgroup() const { return Cgroup{{folder.string()}}; }

  test::TemporaryFolder folder;
};

TEST_F(WrittenCgroup, of_version_2_says_that_its_memory_limit_was_reached) {
  write("memory.events", "low 0\nhigh 0\nmax 12\noom 0\noom_kill 0\noom_group_kill 0\n");
  EXPECT_EQ(cgroup().reached(), Cgroup::Reached::none) << "memory was taken back from caches";
  write("memory.events", "low 0\nhigh 0\nmax 12\noom 0\noom_kill 1\noom_group_kill 0\n");
  EXPECT_EQ(cgroup().reached(), Cgroup::Reached::none) << "the machine had no memory left";
  write("memory.events", "low 0\nhigh 0\nmax 12\noom 2\noom_kill 1\noom_group_kill 0\n");
  EXPECT_EQ(cgroup().reached(), Cgroup::Reached::memory);
}

TEST_F(WrittenCgroup, of_version_1_says_that_its_memory_limit_was_reached) {
  write("memory.oom_control", "oom_kill_disable 0\nunder_oom 0\noom_kill 1\n");
  write("memory.limit_in_bytes", "67108864\n");
  write("memory.max_usage_in_bytes", "33554432\n");
  EXPECT_EQ(cgroup().reached(), Cgroup::Reached::none) << "the machine had no memory left";
  write("memory.max_usage_in_bytes", "67100672\n");
  EXPECT_EQ(cgroup().reached(), Cgroup::Reached::memory);
  write("memory.oom_control", "oom_kill_disable 0\nunder_oom 0\noom_kill 0\n");
  EXPECT_EQ(cgroup().reached(), Cgroup::Reached::none) << "memory was taken back from caches";
}

TEST_F(WrittenCgroup, says_that_it_could_not_fork_unless_memory_explains_more) {
  write("pids.events", "max 0\n");
  EXPECT_EQ(cgroup().reached(), Cgroup::Reached::none);
  write("pids.events", "max 7\n");
  EXPECT_EQ(cgroup().reached(), Cgroup::Reached::processes);
  write("memory.events", "max 1\noom 1\noom_kill 1\n");
  EXPECT_EQ(cgroup().reached(), Cgroup::Reached::memory);
}

TEST_F(WrittenCgroup, never_names_a_process_that_the_kernel_does_not) {
  write("cgroup.procs", "0\n12\n0\n7\n12\n" + std::to_string(::getpid()) + "\n");
  EXPECT_THAT(cgroup().members(), testing::ElementsAre(7, 12))
      << "0 is of another namespace, and would be our whole group";
}

TEST(ControlText, is_read_by_whole_words) {
  EXPECT_EQ(count_in("oom_kill 3\noom 4\n", "oom"), 4U);
  EXPECT_EQ(count_in("oom_kill 3", "oom_kill"), 3U);
  EXPECT_EQ(count_in("oom_kill\noom_kill max\n", "oom_kill"), 0U);
  EXPECT_EQ(count_in("", "oom"), 0U);
}

}  // namespace
}  // namespace fixkeep::worker::keeper
