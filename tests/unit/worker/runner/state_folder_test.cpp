#include "worker/runner/state_folder.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "tests/support/temporary_folder.hpp"

namespace fixkeep::worker {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::StartsWith;

// The variables of the environment by which a place is found, as one test wants them.
struct StateFolderTest : testing::Test {
  StateFolderTest() {
    for (const char* name : names) {
      const char* const value = std::getenv(name);
      before.emplace_back(value == nullptr ? std::nullopt : std::optional<std::string>{value});
      ::unsetenv(name);
    }
  }
  ~StateFolderTest() override {
    for (std::size_t i = 0; i < names.size(); ++i) {
      ::unsetenv(names[i]);
      if (before[i]) ::setenv(names[i], before[i]->c_str(), 1);
    }
  }
  [[nodiscard]] std::string path(const std::string& name) const { return (base / name).string(); }
  [[nodiscard]] static std::string take(const std::string& path) {
    StateFolder folder{path};
    return folder.take(false);
  }
  static std::string default_folder() {
    RunnerOptions options;
    options.cluster = "c";
    options.worker = WorkerId{"w"};
    return state_folder_of(options);
  }

  const std::vector<const char*> names{"STATE_DIRECTORY", "XDG_STATE_HOME", "HOME"};
  std::vector<std::optional<std::string>> before;
  test::TemporaryFolder base;
};

TEST_F(StateFolderTest, is_made_with_all_that_leads_to_it) {
  EXPECT_EQ(take(path("a/b/c")), "");
  struct stat found {};
  ASSERT_EQ(::stat(path("a/b/c").c_str(), &found), 0);
  EXPECT_EQ(found.st_mode & 07777U, 0711U);
  EXPECT_EQ(take(path("a/b/c")), "") << "once more";
}

TEST_F(StateFolderTest, is_that_of_the_service_or_of_whoever_we_are) {
  if (::geteuid() == 0) {
    EXPECT_EQ(default_folder(), "/var/lib/fixkeep/c/w");
  } else {
    EXPECT_THAT(default_folder(), HasSubstr("/fixkeep-" + std::to_string(::geteuid()) + "/c/w"));
    ::setenv("HOME", base.string().c_str(), 1);
    EXPECT_EQ(default_folder(), path(".local/state/fixkeep/c/w"));
    ::setenv("XDG_STATE_HOME", path("state").c_str(), 1);
    EXPECT_EQ(default_folder(), path("state/fixkeep/c/w"));
  }
  ::setenv("STATE_DIRECTORY", (path("one") + ":" + path("two")).c_str(), 1);
  EXPECT_EQ(default_folder(), path("one"));
}

TEST_F(StateFolderTest, is_refused_where_everybody_may_change_what_leads_to_it) {
  fs::create_directory(base / "open");
  ::chmod(path("open").c_str(), 0777);
  const auto advice = "; name a folder that only this user can change in worker.state_folder";
  for (const char* name : {"open", "open/state", "open/more/state"}) {
    EXPECT_EQ(take(path(name)), "cannot use the state folder " + path(name) + ": " + path("open") +
                                    " can be written to by every user" + advice);
  }
  EXPECT_TRUE(fs::is_empty(base / "open")) << "nothing is made there";
  ::chmod(path("open").c_str(), 01777);
  EXPECT_EQ(take(path("open/state")), "") << "as /tmp is";
}

TEST_F(StateFolderTest, that_another_user_has_made_first_is_refused) {
  ASSERT_EQ(::geteuid(), 0U) << "only root makes folders of others: run this as root";
  constexpr uid_t stranger = 65534;
  fs::create_directories(base / "fixkeep/c");
  ASSERT_EQ(::chown(path("fixkeep").c_str(), stranger, stranger), 0);
  EXPECT_THAT(take(path("fixkeep/c/w")), HasSubstr(path("fixkeep") + " belongs to another user"));
  fs::create_directory_symlink(base / "fixkeep/c", base / "link");
  EXPECT_THAT(take(path("link/w")), HasSubstr(path("fixkeep") + " belongs to another user"));
  EXPECT_TRUE(fs::is_empty(base / "fixkeep/c"));
}

// In a folder such as /tmp anybody may make a link first, to a folder of root for instance.
TEST_F(StateFolderTest, to_which_a_link_of_another_user_leads_is_refused_and_nothing_is_changed) {
  ASSERT_EQ(::geteuid(), 0U) << "only root makes links of others: run this as root";
  constexpr uid_t stranger = 65534;
  fs::create_directory(base / "shared");
  ::chmod(path("shared").c_str(), 01777);
  fs::create_directory(base / "ours");
  ::chmod(path("ours").c_str(), 0700);
  const auto link_to = [&](const std::string& target, uid_t owner) {
    fs::remove(base / "shared/state");
    fs::create_symlink(target, base / "shared/state");
    ASSERT_EQ(::lchown(path("shared/state").c_str(), owner, owner), 0);
  };
  for (const char* target : {"../ours", "../ours/../ours", "../nowhere"}) {
    link_to(target, stranger);
    EXPECT_THAT(take(path("shared/state")),
                HasSubstr(path("shared/state") + " belongs to another user"));
    EXPECT_THAT(take(path("shared/state/more")), HasSubstr(" belongs to another user"));
  }
  struct stat found {};
  ASSERT_EQ(::stat(path("ours").c_str(), &found), 0);
  EXPECT_EQ(found.st_mode & 07777U, 0700U) << "it was not touched";
  EXPECT_TRUE(fs::is_empty(base / "ours"));
  link_to(path("ours"), 0);
  EXPECT_EQ(take(path("shared/state")), "") << "a link of our own";
}

TEST_F(StateFolderTest, with_a_journal_that_is_no_file_is_refused) {
  ASSERT_EQ(take(path("state")), "");
  ASSERT_EQ(::mkfifo(path("state/journal").c_str(), 0600), 0);
  EXPECT_THAT(take(path("state")), HasSubstr("/journal is no regular file: take it away"));
}

TEST_F(StateFolderTest, with_a_journal_of_another_user_is_refused) {
  ASSERT_EQ(::geteuid(), 0U) << "only root makes files of others: run this as root";
  constexpr uid_t stranger = 65534;
  ASSERT_EQ(take(path("state")), "");
  std::ofstream{base / "state/journal"} << "rooms that never were";
  EXPECT_EQ(take(path("state")), "");
  ::chmod(path("state/journal").c_str(), 0666);
  EXPECT_THAT(take(path("state")), HasSubstr("/journal can be written to by every user"));
  ::chmod(path("state/journal").c_str(), 0600);
  ASSERT_EQ(::chown(path("state/journal").c_str(), stranger, stranger), 0);
  EXPECT_EQ(take(path("state")), "cannot use the state folder " + path("state") + ": " +
                                     path("state/journal") +
                                     " belongs to another user; it is not the worker's: remove it");
}

// A process that has taken the folder, and a copy that it made of itself, as it does to execute a
// program. Either ends when it is let go.
class Taker {
 public:
  explicit Taker(const std::string& path) {
    for (auto& pipe : pipes_) EXPECT_EQ(::pipe2(pipe.data(), O_CLOEXEC), 0);
    worker_ = ::fork();
    if (worker_ == 0) {
      for (const int end : {worker_pipe_[1], copy_pipe_[1], told_pipe_[0]}) ::close(end);
      StateFolder folder{path};
      const bool taken = folder.take(false).empty();
      if (::fork() == 0) wait_and_end(copy_pipe_[0]);
      (void)!::write(told_pipe_[1], taken ? "y" : "n", 1);
      wait_and_end(worker_pipe_[0]);
    }
    char answer = 'n';
    EXPECT_EQ(::read(told_pipe_[0], &answer, 1), 1);
    EXPECT_EQ(answer, 'y');
  }
  ~Taker() {
    kill();
    let_the_copy_go();
    for (const auto& pipe : pipes_) {
      for (const int end : pipe) ::close(end);
    }
  }
  Taker(const Taker&) = delete;
  Taker& operator=(const Taker&) = delete;

  void kill() {
    if (worker_ <= 0) return;
    ::kill(worker_, SIGKILL);
    ::waitpid(std::exchange(worker_, 0), nullptr, 0);
  }
  void let_the_copy_go() { (void)!::write(copy_pipe_[1], "x", 1); }

 private:
  [[noreturn]] static void wait_and_end(int pipe) {
    char word = 0;
    (void)!::read(pipe, &word, 1);
    ::_exit(0);
  }

  std::array<std::array<int, 2>, 3> pipes_{};
  std::array<int, 2>& worker_pipe_ = pipes_[0];
  std::array<int, 2>& copy_pipe_ = pipes_[1];
  std::array<int, 2>& told_pipe_ = pipes_[2];
  pid_t worker_ = 0;
};

TEST_F(StateFolderTest, of_a_worker_that_runs_is_refused) {
  const Taker taker{path("state")};
  EXPECT_THAT(take(path("state")), HasSubstr("another worker runs with it"));
}

TEST_F(StateFolderTest, of_a_worker_that_was_killed_is_free_when_what_it_was_starting_has_begun) {
  for (const bool upgrade : {false, true}) {
    Taker taker{path("state")};
    taker.kill();
    std::thread later{[&] {
      std::this_thread::sleep_for(std::chrono::milliseconds{300});
      taker.let_the_copy_go();
    }};
    StateFolder folder{path("state")};
    EXPECT_EQ(folder.take(upgrade), "");
    later.join();
  }
}

}  // namespace
}  // namespace fixkeep::worker
