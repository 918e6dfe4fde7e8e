#include "worker/backend/process/process_backend.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <future>
#include <map>
#include <sstream>
#include <thread>

#include "worker/backend/backends.hpp"

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
    start(room, {"/bin/sh", "-c", script});
  }
  void start(std::uint32_t room, std::vector<std::string> command) {
    backend->start(
        RoomNumber{room},
        {.command = std::move(command), .environment = {"PATH=/usr/bin:/bin", "GREETING=hello"}},
        [this, room](const std::string& how) {
          EXPECT_TRUE(ended.emplace(room, how).second) << "told twice";
          return [](const std::string&) {};
        });
    EXPECT_FALSE(ended.contains(room)) << "told from within start()";
  }
  void run_until_ended(std::size_t count) {
    const auto until = std::chrono::steady_clock::now() + seconds{20};
    while (ended.size() < count && std::chrono::steady_clock::now() < until) {
      context.restart();
      context.run_one_for(milliseconds{50});
    }
    ASSERT_EQ(ended.size(), count);
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
  std::shared_ptr<Backend> backend = make_process_backend(context, {.output = {.file_bytes = 0}});
  std::map<std::uint32_t, std::string> ended;
};

TEST_F(ProcessBackendTest, says_how_a_process_ended) {
  shell(1, "exit 0");
  shell(2, "exit 3");
  shell(3, "kill -SEGV $$");
  run_until_ended(3);
  EXPECT_EQ(ended[1], "exit code 0");
  EXPECT_EQ(ended[2], "exit code 3");
  EXPECT_EQ(ended[3], "signal SIGSEGV");
  EXPECT_EQ(backend->running(), 0U);
}

TEST_F(ProcessBackendTest, a_program_that_cannot_be_executed_ends_like_any_other) {
  start(1, {"no-such-program-anywhere"});
  start(2, {"/no/such/file"});
  start(3, {folder.string() + "/"});
  start(4, {});
  run_until_ended(4);
  for (const auto& [room, how] : ended) EXPECT_EQ(how.find("cannot execute"), 0U) << how;
  EXPECT_NE(ended[2].find("No such file"), std::string::npos) << ended[2];
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
  ASSERT_EQ(ended[1], "exit code 0");
  const std::string text = contents(out);
  EXPECT_NE(text.find("GREETING=hello"), std::string::npos);
  EXPECT_EQ(text.find("HOME="), std::string::npos) << "our own environment is not the game's";
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
  EXPECT_TRUE(ended.empty()) << "it ignores the signal";
  backend->kill(RoomNumber{1});
  run_until_ended(1);
  EXPECT_EQ(ended[1], "signal SIGKILL");
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
  for (std::uint32_t room = 1; room <= 64; ++room) EXPECT_EQ(ended[room], "exit code 7");
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
  start(2, {"no-such-program-anywhere"});
  const pid_t game = std::stoi(wait_for_file(file));
  backend->stop();
  EXPECT_EQ(backend->running(), 0U);
  EXPECT_FALSE(is_alive(game));
  context.run_for(milliseconds{50});
  EXPECT_TRUE(ended.empty());
}

TEST_F(ProcessBackendTest, hands_on_the_last_lines_that_a_game_wrote) {
  backend = make_backend("process", context,
                         {.worker = WorkerId{"w1"}, .output = {.folder = folder.string()}});
  std::promise<std::string> promise;
  auto last = promise.get_future();
  backend->start(RoomNumber{1},
                 {.name = "w1-1-1",
                  .command = {"/bin/sh", "-c", "echo out of memory >&2; exit 9"},
                  .environment = {"PATH=/usr/bin:/bin"}},
                 [&](const std::string& how) {
                   ended[1] = how;
                   return [&](const std::string& lines) { promise.set_value(lines); };
                 });
  run_until_ended(1);
  EXPECT_EQ(ended[1], "exit code 9");
  ASSERT_EQ(last.wait_for(seconds{20}), std::future_status::ready);
  EXPECT_EQ(last.get(), "out of memory\n");
  EXPECT_EQ(contents(folder / "w1-1-1.log"), "out of memory\n");
}

TEST(Backends, there_is_none_of_an_unknown_name) {
  boost::asio::io_context context{1};
  EXPECT_EQ(make_backend("parchment", context, {}), nullptr);
}

TEST_F(ProcessBackendTest, a_game_dies_with_a_worker_that_is_killed) {
  const auto file = (folder / "game").string();
  const pid_t helper = fork();
  if (helper == 0) {
    execl(BACKEND_HELPER, BACKEND_HELPER, file.c_str(), static_cast<char*>(nullptr));
    _exit(127);
  }
  const std::string written = wait_for_file(file);
  ASSERT_FALSE(written.empty());
  const pid_t game = std::stoi(written);
  ASSERT_TRUE(is_alive(game));
  ::kill(helper, SIGKILL);
  waitpid(helper, nullptr, 0);
  EXPECT_TRUE(dies_within(game, seconds{5}));
}

}  // namespace
}  // namespace fixkeep::worker
