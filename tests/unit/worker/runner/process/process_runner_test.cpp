// How the runner starts, watches and ends processes.
#include <fcntl.h>
#include <sys/wait.h>

#include <csignal>
#include <optional>

#include "tests/support/beside.hpp"
#include "tests/unit/worker/runner/process/runner_fixture.hpp"
#include "worker/runner/runners.hpp"

namespace fixkeep::worker {
namespace {

TEST_F(ProcessRunnerTest, says_how_a_process_ended) {
  shell(1, "exit 0");
  shell(2, "exit 3");
  shell(3, "kill -SEGV $$");
  run_until_ended(3);
  EXPECT_EQ(ends[1].how, "exit code 0");
  EXPECT_EQ(ends[2].how, "exit code 3");
  EXPECT_EQ(ends[3].how, "signal SIGSEGV");
  EXPECT_EQ(runner->running(), 0U);
}

TEST_F(ProcessRunnerTest, a_program_that_cannot_be_executed_ends_like_any_other) {
  start(1, {.game = {.command = {"no-such-program-anywhere"}}});
  start(2, {.game = {.command = {"/no/such/file"}}});
  start(3, {.game = {.command = {folder.string() + "/"}}});
  start(4, {});
  std::ofstream{folder / "text"} << "no program";
  std::filesystem::permissions(folder / "text", std::filesystem::perms::owner_all);
  start(5, {.game = {.command = {folder / "text"}}});
  run_until_ended(5);
  for (const auto& [room, end] : ends) {
    EXPECT_EQ(end.how.find("cannot execute"), 0U) << end.how;
    EXPECT_EQ(end.kind, GameEnd::Kind::not_started);
  }
  EXPECT_NE(ends[2].how.find("No such file"), std::string::npos) << ends[2].how;
  EXPECT_NE(ends[5].how.find("Exec format error"), std::string::npos) << ends[5].how;
  EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), 0) << "a zombie is left";
  // A keeper says its last word before it ends, and its starter collects it.
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds{5};
  while (!keepers().empty() && std::chrono::steady_clock::now() < until) {
    std::this_thread::sleep_for(std::chrono::milliseconds{5});
  }
  EXPECT_THAT(keepers(), testing::IsEmpty());
}

TEST_F(ProcessRunnerTest, gives_the_child_a_clean_place) {
  const int leak = open("/dev/null", O_RDONLY);  // without CLOEXEC, as libraries do
  sigset_t blocked;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &blocked, nullptr);
  const auto out = folder / "out";
  // The last program replaces the shell: a shell that waits blocks signals of its own accord.
  shell(1, "exec > " + out.string() +
               "; env | grep -v _=; ls -l /proc/$$/fd; exec grep SigBlk /proc/self/status");
  run_until_ended(1);
  pthread_sigmask(SIG_UNBLOCK, &blocked, nullptr);
  close(leak);
  ASSERT_EQ(ends[1].how, "exit code 0");
  const std::string text = contents(out);
  EXPECT_NE(text.find("GREETING=hello"), std::string::npos);
  EXPECT_EQ(text.find("USER="), std::string::npos) << "our own environment is not the game's";
  EXPECT_NE(text.find("0 -> /dev/null"), std::string::npos);
  EXPECT_EQ(text.find(" " + std::to_string(leak) + " -> /dev/null"), std::string::npos) << text;
  EXPECT_NE(text.find("SigBlk:\t0000000000000000"), std::string::npos) << text;
}

TEST_F(ProcessRunnerTest, asks_then_kills_the_whole_group) {
  const auto file = folder / "child";
  shell(1, "trap '' TERM; sleep 600 & echo $! > " + file.string() + "; wait; wait; sleep 600");
  const pid_t grandchild = wait_for_process(file);
  runner->ask_to_end(RoomNumber{1});
  context.run_for(milliseconds{100});
  EXPECT_TRUE(ends.empty()) << "it ignores the signal";
  runner->kill(RoomNumber{1});
  run_until_ended(1);
  EXPECT_EQ(ends[1].how, "signal SIGKILL");
  EXPECT_TRUE(dies_within(grandchild, seconds{5}));
}

TEST_F(ProcessRunnerTest, what_a_process_leaves_behind_ends_with_it) {
  const auto file = folder / "child";
  shell(1, "sleep 600 & echo $! > " + file.string() + "; exit 0");
  run_until_ended(1);
  EXPECT_TRUE(dies_within(std::stoi(contents(file)), seconds{5}));
}

TEST_F(ProcessRunnerTest, many_at_once_leave_no_descriptor_and_no_zombie) {
  shell(1000, "exit 0");
  run_until_ended(1);
  const std::size_t before = open_descriptors();
  for (std::uint32_t room = 1; room <= 64; ++room) shell(room, "exit 7");
  run_until_ended(65);
  for (std::uint32_t room = 1; room <= 64; ++room) EXPECT_EQ(ends[room].how, "exit code 7");
  EXPECT_EQ(open_descriptors(), before);
  EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), 0);
  EXPECT_THAT(keepers(), testing::IsEmpty());
}

TEST_F(ProcessRunnerTest, signals_to_a_room_without_a_process_are_harmless) {
  runner->ask_to_end(RoomNumber{5});
  runner->kill(RoomNumber{5});
  EXPECT_EQ(runner->running(), 0U);
}

// A keeper ran what fitted: here a command without its last word.
TEST_F(ProcessRunnerTest, a_command_that_is_too_long_for_a_keeper_is_not_run_at_all) {
  shell(1, "echo > runs; exec sleep 600");
  wait_for_file(std::filesystem::path{runner->traits().local->folder_of(name_of(1))} / "runs");
  std::optional<RoomShell::CommandEnd> end;
  runner->traits().shell->run(RoomNumber{1},
                              {"/bin/echo", std::string(4000, 'x'), std::string(4000, 'x'), "all"},
                              seconds{10}, [&](const RoomShell::CommandEnd& told) { end = told; });
  ASSERT_TRUE(run_until([&] { return end.has_value(); }));
  EXPECT_EQ(end->exit_code, 0);
  end.reset();
  runner->traits().shell->run(RoomNumber{1},
                              {"/bin/echo", std::string(4000, 'x'), std::string(4200, 'x'), "all"},
                              seconds{10}, [&](const RoomShell::CommandEnd& told) { end = told; });
  ASSERT_TRUE(run_until([&] { return end.has_value(); }));
  EXPECT_EQ(end->problem, "its words are too long together");
  runner->kill(RoomNumber{1});
  run_until_ended(1);
}

TEST_F(ProcessRunnerTest, stopping_ends_what_runs_and_tells_nobody) {
  const auto file = folder / "game";
  shell(1, "echo $$ > " + file.string() + "; exec sleep 600");
  const pid_t game = wait_for_process(file);
  start(2, {.game = {.command = {"no-such-program-anywhere"}}});
  runner->stop();
  EXPECT_EQ(runner->running(), 0U);
  EXPECT_FALSE(is_alive(game));
  context.run_for(milliseconds{50});
  EXPECT_TRUE(ends.empty());
}

TEST_F(ProcessRunnerTest, hands_on_the_last_lines_that_a_game_wrote) {
  runner.reset();
  runner = make({});
  shell(1, "echo out of memory >&2; exit 9");
  run_until_ended(1);
  EXPECT_EQ(ends[1].how, "exit code 9");
  EXPECT_EQ(ends[1].last_lines, "out of memory\n");
  EXPECT_EQ(contents(folder / "state/output" / (name_of(1) + ".log")), "out of memory\n");
}

TEST(Runners, there_is_none_of_an_unknown_name) {
  EXPECT_EQ(find_runner("parchment"), nullptr);
  EXPECT_NE(find_runner("process"), nullptr);
}

TEST_F(ProcessRunnerTest, a_game_and_its_children_die_with_a_worker_that_is_killed) {
  const auto place = (folder / "other").string();
  std::filesystem::create_directory(place);
  const std::string program = support::beside("worker_process_helper");
  const pid_t helper = fork();
  if (helper == 0) {
    execl(program.c_str(), program.c_str(), place.c_str(),
          "sleep 600 & echo $! > $OUT/child; setsid sleep 600 & echo $! > $OUT/apart; "
          "echo $$ > $OUT/game; exec sleep 600",
          static_cast<char*>(nullptr));
    _exit(127);
  }
  std::vector<pid_t> processes;
  for (const char* name : {"child", "apart", "game"}) {
    const std::string written = wait_for_file(std::filesystem::path{place} / name);
    ASSERT_FALSE(written.empty()) << name;
    processes.push_back(std::stoi(written));
    ASSERT_TRUE(is_alive(processes.back()));
  }
  ::kill(helper, SIGKILL);
  waitpid(helper, nullptr, 0);
  for (const pid_t process : processes) EXPECT_TRUE(dies_within(process, seconds{5}));
}

}  // namespace
}  // namespace fixkeep::worker
