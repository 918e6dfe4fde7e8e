#include "worker/backend/process/process_backend.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <thread>

#include "common/process/proc.hpp"
#include "worker/backend/backends.hpp"
#include "worker/backend/process/process_backend.hpp"

namespace fixkeep::worker {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

std::size_t open_descriptors() {
  const std::filesystem::directory_iterator entries{"/proc/self/fd"};
  return static_cast<std::size_t>(std::distance(begin(entries), end(entries)));
}

std::string contents(const std::filesystem::path& path) {
  std::ifstream file{path};
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// A zombie is dead: whoever has to reap an orphan may take its time.
bool is_alive(pid_t pid) {
  const std::string status = contents("/proc/" + std::to_string(pid) + "/status");
  return !status.empty() && status.find("State:\tZ") == std::string::npos;
}

bool dies_within(pid_t pid, milliseconds limit) {
  const auto until = std::chrono::steady_clock::now() + limit;
  while (is_alive(pid)) {
    if (std::chrono::steady_clock::now() > until) return false;
    std::this_thread::sleep_for(milliseconds{5});
  }
  return true;
}

struct ProcessBackendTest : testing::Test {
  ProcessBackendTest() : folder(std::filesystem::temp_directory_path() / unique_name()) {
    std::filesystem::create_directory(folder);
  }
  ~ProcessBackendTest() override { std::filesystem::remove_all(folder); }

  static std::string unique_name() {
    return std::string{"process_backend_"} + std::to_string(getpid()) + "_" +
           testing::UnitTest::GetInstance()->current_test_info()->name();
  }

  void shell(std::uint32_t room, const std::string& script) {
    start(room, {.command = {"/bin/sh", "-c", script}});
  }
  void start(std::uint32_t room, Launch launch) {
    launch.name = "w1-1-" + std::to_string(room);
    launch.environment = {"PATH=/usr/bin:/bin", "GREETING=hello"};
    const auto told = [this, room](const GameEnd& end) {
      EXPECT_TRUE(ends.emplace(room, end).second) << "told twice";
    };
    backend->start(RoomNumber{room}, launch,
                   {.ended = told, .wrote = [this](const std::string& text) { wrote += text; }});
    EXPECT_FALSE(ends.contains(room)) << "told from within start()";
  }
  std::shared_ptr<Backend> make(GameOutputOptions output = {.folder = {}, .file_bytes = 0}) {
    auto made = make_process_backend(context, {.cluster = "test",
                                               .worker = WorkerId{"w1"},
                                               .state_folder = (folder / "state").string(),
                                               .output = std::move(output)});
    EXPECT_EQ(made->open(), "");
    return made;
  }
  template <class Done>
  [[nodiscard]] bool run_until(Done done) {
    const auto until = std::chrono::steady_clock::now() + seconds{20};
    while (!done() && std::chrono::steady_clock::now() < until) {
      context.restart();
      context.run_one_for(milliseconds{50});
    }
    return done();
  }
  void run_until_ended(std::size_t count) {
    ASSERT_TRUE(run_until([&] { return ends.size() == count; }));
  }
  std::string wait_for_file(const std::filesystem::path& path) const {
    const auto until = std::chrono::steady_clock::now() + seconds{10};
    while (contents(path).find('\n') == std::string::npos) {
      if (std::chrono::steady_clock::now() > until) return {};
      std::this_thread::sleep_for(milliseconds{5});
    }
    return contents(path);
  }

  std::filesystem::path folder;
  boost::asio::io_context context{1};
  std::shared_ptr<Backend> backend = make();
  std::map<std::uint32_t, GameEnd> ends;
  std::string wrote;
};

TEST_F(ProcessBackendTest, says_how_a_process_ended) {
  shell(1, "exit 0");
  shell(2, "exit 3");
  shell(3, "kill -SEGV $$");
  run_until_ended(3);
  EXPECT_EQ(ends[1].how, "exit code 0");
  EXPECT_EQ(ends[2].how, "exit code 3");
  EXPECT_EQ(ends[3].how, "signal SIGSEGV");
  EXPECT_EQ(backend->running(), 0U);
}

TEST_F(ProcessBackendTest, a_program_that_cannot_be_executed_ends_like_any_other) {
  start(1, {.command = {"no-such-program-anywhere"}});
  start(2, {.command = {"/no/such/file"}});
  start(3, {.command = {folder.string() + "/"}});
  start(4, {});
  std::ofstream{folder / "text"} << "no program";
  std::filesystem::permissions(folder / "text", std::filesystem::perms::owner_all);
  start(5, {.command = {folder / "text"}});
  run_until_ended(5);
  for (const auto& [room, end] : ends) {
    EXPECT_EQ(end.how.find("cannot execute"), 0U) << end.how;
    EXPECT_EQ(end.kind, GameEnd::Kind::not_started);
  }
  EXPECT_NE(ends[2].how.find("No such file"), std::string::npos) << ends[2].how;
  EXPECT_NE(ends[5].how.find("Exec format error"), std::string::npos) << ends[5].how;
  errno = 0;
  EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1) << "a zombie is left";
  EXPECT_EQ(errno, ECHILD);
}

TEST_F(ProcessBackendTest, gives_the_child_a_clean_place) {
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

TEST_F(ProcessBackendTest, asks_then_kills_the_whole_group) {
  const auto file = folder / "child";
  shell(1, "trap '' TERM; sleep 600 & echo $! > " + file.string() + "; wait; wait; sleep 600");
  const pid_t grandchild = std::stoi(wait_for_file(file));
  backend->ask_to_end(RoomNumber{1});
  context.run_for(milliseconds{100});
  EXPECT_TRUE(ends.empty()) << "it ignores the signal";
  backend->kill(RoomNumber{1});
  run_until_ended(1);
  EXPECT_EQ(ends[1].how, "signal SIGKILL");
  EXPECT_TRUE(dies_within(grandchild, seconds{5}));
}

TEST_F(ProcessBackendTest, what_a_process_leaves_behind_ends_with_it) {
  const auto file = folder / "child";
  shell(1, "sleep 600 & echo $! > " + file.string() + "; exit 0");
  run_until_ended(1);
  EXPECT_TRUE(dies_within(std::stoi(contents(file)), seconds{5}));
}

TEST_F(ProcessBackendTest, many_at_once_leave_no_descriptor_and_no_zombie) {
  shell(1000, "exit 0");
  run_until_ended(1);
  const std::size_t before = open_descriptors();
  for (std::uint32_t room = 1; room <= 64; ++room) shell(room, "exit 7");
  run_until_ended(65);
  for (std::uint32_t room = 1; room <= 64; ++room) EXPECT_EQ(ends[room].how, "exit code 7");
  EXPECT_EQ(open_descriptors(), before);
  EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1);
}

TEST_F(ProcessBackendTest, signals_to_a_room_without_a_process_are_harmless) {
  backend->ask_to_end(RoomNumber{5});
  backend->kill(RoomNumber{5});
  EXPECT_EQ(backend->running(), 0U);
}

TEST_F(ProcessBackendTest, stopping_ends_what_runs_and_tells_nobody) {
  const auto file = folder / "game";
  shell(1, "echo $$ > " + file.string() + "; exec sleep 600");
  start(2, {.command = {"no-such-program-anywhere"}});
  const pid_t game = std::stoi(wait_for_file(file));
  backend->stop();
  EXPECT_EQ(backend->running(), 0U);
  EXPECT_FALSE(is_alive(game));
  context.run_for(milliseconds{50});
  EXPECT_TRUE(ends.empty());
}

TEST_F(ProcessBackendTest, hands_on_the_last_lines_that_a_game_wrote) {
  backend.reset();
  backend = make({.folder = (folder / "output").string()});
  shell(1, "echo out of memory >&2; exit 9");
  run_until_ended(1);
  EXPECT_EQ(ends[1].how, "exit code 9");
  EXPECT_EQ(ends[1].last_lines, "out of memory\n");
  EXPECT_EQ(contents(folder / "output/w1-1-1.log"), "out of memory\n");
}

TEST(Backends, there_is_none_of_an_unknown_name) {
  boost::asio::io_context context{1};
  EXPECT_EQ(make_backend("parchment", context, {}), nullptr);
}

TEST_F(ProcessBackendTest, a_game_and_its_children_die_with_a_worker_that_is_killed) {
  const auto place = (folder / "other").string();
  std::filesystem::create_directory(place);
  const pid_t helper = fork();
  if (helper == 0) {
    execl(BACKEND_HELPER, BACKEND_HELPER, place.c_str(),
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

// --- what a keeper adds --------------------------------------------------------------------------

TEST_F(ProcessBackendTest, ends_what_a_game_has_started_in_sessions_of_their_own) {
  const auto file = folder / "child";
  shell(1, "setsid sh -c 'trap \"\" TERM; echo $$ > " + file.string() +
               "; sleep 600; sleep 600' & wait; sleep 600");
  const pid_t apart = std::stoi(wait_for_file(file));
  EXPECT_THAT(backend->processes(RoomNumber{1}), testing::Contains(apart));
  backend->kill(RoomNumber{1});
  run_until_ended(1);
  EXPECT_FALSE(is_alive(apart)) << "it is gone when the end is told, not later";
}

TEST_F(ProcessBackendTest, says_that_a_program_went_into_the_background) {
  shell(1, "setsid sleep 600 & exit 0");
  run_until_ended(1);
  EXPECT_EQ(ends[1].left_behind, 1U);
  EXPECT_EQ(ends[1].how,
            "exit code 0; it left 1 process behind, which was killed (a server that goes into the "
            "background needs \"daemon\": true)");
}

TEST_F(ProcessBackendTest, follows_a_daemon_that_its_program_leaves_behind) {
  const auto file = folder / "daemon";
  start(1, {.command = {"/bin/sh", "-c",
                        "setsid sh -c 'echo $$ > " + file.string() + "; exec sleep 600' & exit 0"},
            .daemon = true});
  const pid_t daemon = std::stoi(wait_for_file(file));
  context.run_for(milliseconds{100});
  EXPECT_TRUE(ends.empty());
  EXPECT_TRUE(is_alive(daemon));
  backend->ask_to_end(RoomNumber{1});
  run_until_ended(1);
  EXPECT_EQ(ends[1].how, "signal SIGTERM");
  EXPECT_FALSE(is_alive(daemon));
}

TEST_F(ProcessBackendTest, a_daemon_that_fails_before_it_leaves_ends_like_any_other) {
  start(1, {.command = {"/bin/sh", "-c", "sleep 600 & exit 4"}, .daemon = true});
  run_until_ended(1);
  EXPECT_EQ(ends[1].how, "exit code 4; it left 1 process behind, which was killed");
}

TEST_F(ProcessBackendTest, gives_each_room_a_folder_of_its_own_with_its_files) {
  start(1, {.command = {"/bin/sh", "-c", "cat conf/server.cfg; pwd; echo saved > world"},
            .files = {{"conf/server.cfg", "port 7777\n"}}});
  run_until_ended(1);
  const auto own = backend->folder_of("w1-1-1");
  EXPECT_EQ(ends[1].last_lines, "port 7777\n" + own + "\n");
  EXPECT_FALSE(std::filesystem::exists(std::filesystem::path{own}.parent_path())) << "kept: never";
}

TEST_F(ProcessBackendTest, keeps_the_folder_of_a_room_as_it_is_told) {
  const auto play = [&](std::uint32_t room, KeepFolder keep, const std::string& script) {
    start(room,
          {.command = {"/bin/sh", "-c", "echo saved > world; " + script}, .keep_folder = keep});
  };
  play(1, KeepFolder::always, "exit 0");
  play(2, KeepFolder::if_failed, "exit 0");
  play(3, KeepFolder::if_failed, "exit 1");
  play(4, KeepFolder::if_failed, "echo $$ > " + (folder / "four").string() + "; sleep 600");
  wait_for_file(folder / "four");
  backend->ask_to_end(RoomNumber{4});
  run_until_ended(4);
  const auto kept = [&](const std::string& name) {
    return std::filesystem::exists(backend->folder_of(name) + "/world");
  };
  EXPECT_TRUE(kept("w1-1-1"));
  EXPECT_FALSE(kept("w1-1-2"));
  EXPECT_TRUE(kept("w1-1-3"));
  EXPECT_FALSE(kept("w1-1-4")) << "it was asked to end, so it has not failed";
}

TEST_F(ProcessBackendTest, runs_as_another_user_and_says_if_there_is_none) {
  start(1, {.command = {"/bin/true"}, .user = "nobody-of-that-name"});
  run_until_ended(1);
  EXPECT_EQ(ends[1].how, "there is no user \"nobody-of-that-name\" on this machine");
  if (::geteuid() != 0) GTEST_SKIP() << "only root can become another user";
  std::filesystem::permissions(folder, std::filesystem::perms::all);
  start(2, {.command = {"/bin/sh", "-c",
                        "id -un; id -gn; echo saved > world; ls -ld . | cut -d' ' -f3"},
            .user = "nobody"});
  run_until_ended(2);
  EXPECT_EQ(ends[2].how, "exit code 0");
  EXPECT_EQ(ends[2].last_lines, "nobody\nnogroup\nnobody\n");
}

TEST_F(ProcessBackendTest, limits_what_a_game_may_open) {
  start(1, {.command = {"/bin/sh", "-c", "ulimit -n"}, .open_files = 77});
  run_until_ended(1);
  EXPECT_EQ(ends[1].last_lines, "77\n");
}

TEST_F(ProcessBackendTest, stops_a_game_by_another_signal_or_by_a_command) {
  const auto wait_for_both = "; while :; do sleep 0.01; done";
  start(1, {.command = {"/bin/sh", "-c",
                        "trap 'exit 5' INT; echo > " + (folder / "1").string() + wait_for_both},
            .stop_signal = SIGINT});
  start(2, {.command = {"/bin/sh", "-c",
                        "echo > " + (folder / "2").string() +
                            "; until [ -e stop ]; do sleep 0.01; done; exit 6"},
            .stop_command = {"touch", "stop"}});
  wait_for_file(folder / "1");
  wait_for_file(folder / "2");
  backend->ask_to_end(RoomNumber{1});
  backend->ask_to_end(RoomNumber{2});
  run_until_ended(2);
  EXPECT_EQ(ends[1].how, "exit code 5");
  EXPECT_EQ(ends[2].how, "exit code 6") << "the command runs in the room's folder";
}

TEST_F(ProcessBackendTest, runs_commands_for_a_room_within_their_limit) {
  shell(1, "sleep 600");
  std::map<int, Backend::CommandEnd> told;
  const auto run = [&](int which, std::vector<std::string> command, milliseconds limit) {
    backend->run(RoomNumber{1}, command, limit,
                 [&told, which](Backend::CommandEnd end) { told[which] = std::move(end); });
  };
  run(1, {"sh", "-c", "echo $GREETING; exit 3"}, seconds{10});
  run(2, {"sh", "-c", "sleep 600 & sleep 600"}, milliseconds{100});
  run(3, {"no-such-program-anywhere"}, seconds{10});
  ASSERT_TRUE(run_until([&] { return told.size() == 3; }));
  EXPECT_EQ(told[1].exit_code, 3);
  EXPECT_EQ(told[1].text, "hello\n");
  EXPECT_EQ(told[2].exit_code, -1);
  EXPECT_EQ(told[2].problem, "it took too long");
  EXPECT_EQ(told[3].problem, "not in PATH");
  for (int which = 11; which <= 15; ++which) run(which, {"sleep", "600"}, seconds{60});
  ASSERT_TRUE(run_until([&] { return told.contains(15); }));
  EXPECT_EQ(told[15].problem, "too many commands at a time");
  backend->kill(RoomNumber{1});
  run_until_ended(1);
}

TEST_F(ProcessBackendTest, tells_what_a_game_writes_to_those_who_follow) {
  start(1, {.command = {"/bin/sh", "-c",
                        "echo ready; until [ -e go ]; do sleep 0.01; done; echo more; echo > gone; "
                        "exec sleep 600"},
            .follow = true});
  ASSERT_TRUE(run_until([&] { return wrote == "ready\n"; }));
  backend->follow(RoomNumber{1}, false);
  context.run_for(milliseconds{20});
  const auto own = backend->folder_of("w1-1-1");
  std::ofstream{own + "/go"} << "x";
  wait_for_file(own + "/gone");
  context.run_for(milliseconds{20});
  EXPECT_EQ(wrote, "ready\n");
  backend->kill(RoomNumber{1});
  run_until_ended(1);
}

TEST_F(ProcessBackendTest, a_game_on_a_terminal_writes_line_by_line) {
  // A C program writes in blocks to a pipe; what it had not written yet dies with it.
  const std::vector<std::string> command{"/usr/bin/awk", "BEGIN { print \"up\"; for (;;) {} }"};
  start(1, {.command = command, .follow = true, .terminal = true});
  ASSERT_TRUE(run_until([&] { return wrote == "up\n"; }));
  backend->kill(RoomNumber{1});
  run_until_ended(1);
}

TEST_F(ProcessBackendTest, a_game_that_writes_without_end_is_neither_slowed_nor_kept) {
  backend.reset();
  backend = make({.folder = (folder / "output").string(), .file_bytes = 65536});
  shell(1, "head -c 300000000 /dev/zero; echo; echo the end");
  run_until_ended(1);
  EXPECT_TRUE(ends[1].last_lines.ends_with("\nthe end\n"));
  for (const auto& entry : std::filesystem::directory_iterator{folder / "output"}) {
    EXPECT_LE(entry.file_size(), 65536U) << entry.path();
  }
}

TEST_F(ProcessBackendTest, output_that_cannot_be_kept_costs_the_game_nothing) {
  std::ofstream{folder / "output"} << "a file where the folder should be";
  backend.reset();
  backend = make({.folder = (folder / "output").string()});
  shell(1, "head -c 3000000 /dev/zero; echo; echo the end");
  run_until_ended(1);
  EXPECT_EQ(ends[1].how, "exit code 0");
  EXPECT_TRUE(ends[1].last_lines.ends_with("\nthe end\n"));
}

TEST_F(ProcessBackendTest, what_a_killed_keeper_held_is_found_and_ended) {
  const auto file = folder / "child";
  Launch launch{.command = {"/bin/sh", "-c",
                            "export FIXKEEP_ROOM_ID=w1-1-1; setsid sleep 600 & echo $! > " +
                                file.string() + "; exec sleep 600"}};
  start(1, launch);
  const pid_t apart = std::stoi(wait_for_file(file));
  const auto of_us = process::children_of(getpid());
  ASSERT_EQ(of_us.size(), 1U);
  ::kill(of_us.front(), SIGKILL);
  run_until_ended(1);
  EXPECT_EQ(ends[1].kind, GameEnd::Kind::unknown);
  EXPECT_EQ(ends[1].how, "its keeper was killed, and the game with it");
  EXPECT_TRUE(dies_within(apart, seconds{5}));
}

TEST_F(ProcessBackendTest, a_state_folder_belongs_to_one_worker) {
  const auto other = make_process_backend(
      context, {.cluster = "test", .worker = WorkerId{"w2"}, .state_folder = folder / "state"});
  EXPECT_THAT(other->open(), testing::HasSubstr("another worker runs with it"));
}

}  // namespace
}  // namespace fixkeep::worker
