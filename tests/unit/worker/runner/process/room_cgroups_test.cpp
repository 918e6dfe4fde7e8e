// Control groups of rooms on this machine. Without any that we may make there is nothing to be
// tested, which is said.
#include <sys/wait.h>

#include <csignal>

#include "common/process/proc.hpp"
#include "tests/unit/worker/runner/process/runner_fixture.hpp"
#include "worker/runner/process/room_cgroups.hpp"

namespace fixkeep::worker {
namespace {

namespace fs = std::filesystem;

struct RoomCgroup : ProcessRunnerTest {
  // What a test has left is nobody's child.
  ~RoomCgroup() override {
    runner.reset();
    while (::waitpid(-1, nullptr, 0) > 0) continue;
  }
  [[nodiscard]] RoomFiles files(std::uint32_t room) const {
    return {(folder / "state/rooms" / name_of(room)).string()};
  }
  // Of a room that runs; empty, and said: this machine has none.
  [[nodiscard]] std::vector<std::string> folders(std::uint32_t room) const {
    auto found = recorded_cgroup(files(room)).folders();
    if (found.empty()) std::puts("this machine has no control groups that we may make");
    return found;
  }
  // Whether the machine has what the limit needs; said if not.
  [[nodiscard]] bool has(const std::string& file, std::uint32_t room) const {
    const auto cgroup = recorded_cgroup(files(room));
    for (const auto& each : cgroup.folders()) {
      if (fs::exists(each + "/" + file)) return true;
    }
    std::printf("this machine has no %s that we may set\n", file.c_str());
    return false;
  }
  // A game that says when it runs, and then does what the script says.
  void start_told(std::uint32_t room, const std::string& script, Launch launch = {}) {
    const auto file = folder / ("runs" + std::to_string(room));
    launch.game.command = {"/bin/sh", "-c", "echo $$ > " + file.string() + "; " + script};
    start(room, std::move(launch));
    game = wait_for_process(file);
  }

  pid_t game = 0;
};

bool any_exists(const std::vector<std::string>& folders) {
  return std::any_of(folders.begin(), folders.end(),
                     [](const std::string& each) { return fs::exists(each); });
}

TEST_F(RoomCgroup, holds_the_game_and_its_commands_but_not_the_keeper) {
  start_told(1, "exec sleep 600");
  const auto made = folders(1);
  if (made.empty()) return;
  const keeper::Cgroup cgroup{made};
  EXPECT_THAT(cgroup.members(), testing::ElementsAre(game));
  runner->traits().shell->run(RoomNumber{1}, {"sh", "-c", "echo $$ > command; exec sleep 600"},
                              seconds{60}, [](const RoomShell::CommandEnd&) {});
  const pid_t command = wait_for_process(files(1).game() + "/command");
  EXPECT_THAT(cgroup.members(), testing::UnorderedElementsAre(game, command));
  runner->kill(RoomNumber{1});
  run_until_ended(1);
  EXPECT_FALSE(any_exists(made));
}

TEST_F(RoomCgroup, tells_of_a_game_that_needs_more_memory_than_its_limit) {
  start_told(1,
             "until [ -e go ]; do sleep 0.01; done; exec awk 'BEGIN { s = \"xxxxxxxx\"; for (;;) s "
             "= s s }'",
             {.game = {.limits = {.memory_mib = 32}}});
  if (!has("memory.max", 1) && !has("memory.limit_in_bytes", 1)) return runner->stop();
  const auto made = folders(1);
  std::ofstream{files(1).game() + "/go"} << "x";
  run_until_ended(1);
  EXPECT_EQ(ends[1].kind, GameEnd::Kind::signalled);
  EXPECT_EQ(ends[1].how, "signal SIGKILL: it reached its memory limit of 32 MiB");
  EXPECT_FALSE(any_exists(made)) << "the keeper was not ended by it";
}

TEST_F(RoomCgroup, lets_a_game_fork_up_to_its_limit) {
  start_told(1,
             "until [ -e go ]; do sleep 0.01; done; i=0; while [ $i -lt 20 ]; do sleep 600 & "
             "i=$((i + 1)); done; exit 0",
             {.game = {.limits = {.processes = 6}}});
  if (!has("pids.max", 1)) return runner->stop();
  std::ofstream{files(1).game() + "/go"} << "x";
  run_until_ended(1);
  EXPECT_NE(ends[1].number, 0);
  EXPECT_EQ(ends[1].left_behind, 5U);
  EXPECT_EQ(ends[1].how, "exit code " + std::to_string(ends[1].number) +
                             ": it reached its limit of 6 processes; it left 5 processes behind, "
                             "which were killed");
}

TEST_F(RoomCgroup, counts_and_ends_a_daemon_with_all_that_it_has_started) {
  const auto file = folder / "daemon";
  const auto go = folder / "go";
  shell(1, "setsid sh -c 'sleep 600 & setsid sh -c \"echo \\$\\$ > " + file.string() +
               "; exec sleep 600\" & wait' & until [ -e " + go.string() +
               " ]; do sleep 0.01; done; exit 3");
  const pid_t daemon = wait_for_process(file);
  const auto made = folders(1);
  std::ofstream{go}.flush();
  run_until_ended(1);
  EXPECT_FALSE(is_alive(daemon));
  EXPECT_FALSE(any_exists(made));
  // Without one only the children of the keeper are counted.
  EXPECT_EQ(ends[1].left_behind, made.empty() ? 1U : 3U);
}

TEST_F(RoomCgroup, does_not_count_what_a_command_has_started) {
  start_told(1, "until [ -e up ]; do sleep 0.01; done; exit 0");
  const bool is_told_apart = !folders(1).empty();  // else the command's child may be counted
  runner->traits().shell->run(RoomNumber{1}, {"sh", "-c", "sleep 600 & echo > up; wait"},
                              seconds{60}, [](const RoomShell::CommandEnd&) {});
  run_until_ended(1);
  if (!is_told_apart) return;
  EXPECT_EQ(ends[1].how, "exit code 0");
}

TEST_F(RoomCgroup, is_removed_by_the_keeper_if_no_worker_is_there) {
  start_told(1, "exec sleep 600", {.alone = seconds{60}, .grace = seconds{1}});
  const auto made = folders(1);
  const pid_t keeper = only_keeper();
  runner->leave();
  ::kill(game, SIGKILL);
  ASSERT_TRUE(dies_within(keeper, seconds{10}));
  EXPECT_FALSE(any_exists(made));
}

// It has nothing of the room in its environment by which it could be found otherwise.
TEST_F(RoomCgroup, is_ended_by_the_worker_if_the_keeper_was_killed) {
  const auto file = folder / "apart";
  start_told(1, "setsid sh -c 'echo $$ > " + file.string() + "; exec sleep 600' & wait");
  const pid_t apart = wait_for_process(file);
  const auto made = folders(1);
  ::kill(only_keeper(), SIGKILL);
  if (made.empty()) {
    ::kill(apart, SIGKILL);
    return;
  }
  run_until_ended(1);
  EXPECT_EQ(ends[1].how, "its keeper ended without a word, and the game with it: was it killed?");
  EXPECT_FALSE(is_alive(apart)) << "its ports are free when the end is told";
  EXPECT_FALSE(any_exists(made));
  EXPECT_FALSE(fs::exists(files(1).folder));
}

TEST_F(RoomCgroup, of_a_game_that_goes_on_is_kept_by_the_next_run_and_others_are_removed) {
  const Launch lasting{.alone = seconds{60}, .grace = seconds{1}};
  start_told(1, "exec sleep 600", lasting);
  const auto kept = folders(1);
  const pid_t first_keeper = only_keeper();
  const auto file = folder / "apart";
  start_told(2, "setsid sh -c 'echo $$ > " + file.string() + "; exec sleep 600' & wait", lasting);
  const pid_t apart = wait_for_process(file);
  const auto orphaned = folders(2);
  auto others = keepers();
  std::erase(others, first_keeper);
  ASSERT_EQ(others.size(), 1U);
  start_told(3, "exec sleep 600", lasting);
  const auto unknown = folders(3);

  runner->leave();
  ::kill(others.front(), SIGKILL);
  ASSERT_TRUE(dies_within(others.front(), seconds{10}));
  runner = make_process_runner(context, options());
  ASSERT_EQ(runner->open(), "");
  runner->adopt(RoomNumber{1}, {.name = name_of(1)},
                {.ended = [this](const GameEnd& end) { ends.emplace(1, end); }, .wrote = {}});
  runner->end_others();
  if (kept.empty()) {
    ::kill(apart, SIGKILL);
    return runner->stop();
  }
  EXPECT_FALSE(is_alive(apart));
  EXPECT_FALSE(any_exists(orphaned));
  EXPECT_FALSE(any_exists(unknown));
  EXPECT_EQ(recorded_cgroup(files(1)).members().size(), 1U) << "the game that goes on";
  runner->kill(RoomNumber{1});
  run_until_ended(1);
  EXPECT_FALSE(any_exists(kept));
}

TEST_F(RoomCgroup, of_an_adopted_game_whose_keeper_was_killed_is_ended) {
  const auto file = folder / "apart";
  start_told(1, "setsid sh -c 'echo $$ > " + file.string() + "; exec sleep 600' & wait",
             {.alone = seconds{60}, .grace = seconds{1}});
  const pid_t apart = wait_for_process(file);
  const auto made = folders(1);
  const pid_t keeper = only_keeper();
  runner->leave();
  runner = make_process_runner(context, options());
  ASSERT_EQ(runner->open(), "");
  runner->adopt(RoomNumber{1}, {.name = name_of(1)},
                {.ended = [this](const GameEnd& end) { ends.emplace(1, end); }, .wrote = {}});
  runner->end_others();
  ::kill(keeper, SIGKILL);
  run_until_ended(1);
  if (made.empty()) {
    ::kill(apart, SIGKILL);
    return;
  }
  EXPECT_FALSE(is_alive(apart));
  EXPECT_FALSE(any_exists(made));
}

TEST_F(RoomCgroup, is_removed_if_the_worker_ends) {
  start_told(1, "exec sleep 600");
  const auto made = folders(1);
  runner->stop();
  EXPECT_FALSE(any_exists(made));
}

TEST_F(RoomCgroup, of_a_run_in_another_place_is_found_as_long_as_that_is_there) {
  runner.reset();
  const auto record = folder / "state/cgroups";
  const auto there = folder / "there";
  fs::create_directories(there / ("fixkeep-1-" + name_of(1)));
  std::ofstream{record} << there.string() << "/fixkeep-1-\n"
                        << folder.string() << "/gone/fixkeep-1-\n";
  runner = make();
  EXPECT_THAT(contents(record), testing::HasSubstr(there.string() + "/fixkeep-1-\n"));
  EXPECT_THAT(contents(record), testing::Not(testing::HasSubstr("/gone/")));
  EXPECT_THAT(recorded_cgroup(files(1)).folders(),
              testing::ElementsAre((there / ("fixkeep-1-" + name_of(1))).string()));
  EXPECT_THAT(recorded_cgroup(files(2)).folders(), testing::IsEmpty());
}

TEST_F(RoomCgroup, of_another_name_is_never_touched) {
  fs::create_directories(files(9).folder);
  std::ofstream{files(9).cgroups()} << "/sys/fs/cgroup/system.slice\nfixkeep-relative\n"
                                    << folder.string() << "/fixkeep-ours\n";
  EXPECT_THAT(recorded_cgroup(files(9)).folders(),
              testing::ElementsAre(folder.string() + "/fixkeep-ours"));
}

}  // namespace
}  // namespace fixkeep::worker
