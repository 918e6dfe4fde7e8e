// The hook that is the example, configs/hooks/local.sh, where its runner cannot see.
#include <gmock/gmock.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "common/process/proc.hpp"
#include "tests/support/temporary_folder.hpp"

namespace fixkeep::worker {
namespace {

namespace fs = std::filesystem;

struct LocalHook : testing::Test {
  int run(const std::string& words, const std::string& output = "/dev/null") {
    const auto hook = (fs::current_path() / "configs/hooks/local.sh").string();
    const auto command =
        "PATH=" + folder.string() + "/bin:/usr/bin:/bin HOOK_FOLDER=" + folder.string() +
        "/hook FIXKEEP_OBJECT=" + object + " " + hook + " " + words + " >" + output;
    return std::system(command.c_str());
  }
  std::string list() {
    EXPECT_EQ(run("list", (folder / "list").string()), 0);
    std::ifstream file{folder / "list"};
    return {std::istreambuf_iterator<char>{file}, {}};
  }
  // A program of the system, as the hook finds it.
  void replace(const std::string& program, const std::string& script) {
    fs::create_directory(folder / "bin");
    std::ofstream{folder / "bin" / program} << "#!/bin/sh\n" << script << "\n";
    fs::permissions(folder / "bin" / program, fs::perms::owner_all);
  }
  [[nodiscard]] bool anything_runs() const {
    for (const pid_t each : process::all()) {
      if (process::environment_of(each, "FIXKEEP_OBJECT") == object) return true;
    }
    return false;
  }

  test::TemporaryFolder folder;
  const std::string object = "fixkeep-test-" + std::to_string(::getpid());
  const std::string game = "start sh -c 'touch " + folder.string() + "/begun; exec sleep 600'";
};

TEST_F(LocalHook, that_is_killed_before_it_has_written_a_game_down_begins_none) {
  replace("mv", "kill -KILL $PPID");
  EXPECT_NE(run(game), 0);
  // A process shows no environment while it becomes another program, so one look says little.
  constexpr int enough = 20;
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds{60};
  int quiet = 0;
  while (quiet < enough && std::chrono::steady_clock::now() < until) {
    quiet = anything_runs() ? 0 : quiet + 1;
    ::usleep(5000);
  }
  EXPECT_EQ(quiet, enough) << "a process of the hook runs on";
  EXPECT_FALSE(fs::exists(folder / "begun"));
  EXPECT_EQ(list(), "");
  EXPECT_TRUE(fs::is_empty(folder / "hook/ports")) << "its port is free";
}

TEST_F(LocalHook, that_is_killed_after_that_has_begun_a_game_that_is_listed) {
  replace("mv", "/bin/mv \"$@\"; kill -KILL $PPID");
  EXPECT_NE(run(game), 0);
  EXPECT_EQ(list(), object + "\n");
  EXPECT_EQ(run("stop " + object), 0);
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds{60};
  while (!list().empty() && std::chrono::steady_clock::now() < until) ::usleep(5000);
  EXPECT_EQ(list(), "");
}

}  // namespace
}  // namespace fixkeep::worker
