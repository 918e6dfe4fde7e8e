// A runner of processes in a folder of its own, and what is heard of its rooms.
#pragma once

#include <gmock/gmock.h>
#include <unistd.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "common/process/proc.hpp"
#include "tests/support/temporary_folder.hpp"
#include "worker/runner/process/process_runner.hpp"

namespace fixkeep::worker {

using std::chrono::milliseconds;
using std::chrono::seconds;

inline std::size_t open_descriptors() {
  const std::filesystem::directory_iterator entries{"/proc/self/fd"};
  return static_cast<std::size_t>(std::distance(begin(entries), end(entries)));
}

inline std::string contents(const std::filesystem::path& path) {
  std::ifstream file{path};
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// A zombie is dead: whoever has to reap an orphan may take its time.
inline bool is_alive(pid_t pid) {
  const std::string status = contents("/proc/" + std::to_string(pid) + "/status");
  return !status.empty() && status.find("State:\tZ") == std::string::npos;
}

inline bool dies_within(pid_t pid, milliseconds limit) {
  const auto until = std::chrono::steady_clock::now() + limit;
  while (is_alive(pid)) {
    if (std::chrono::steady_clock::now() > until) return false;
    std::this_thread::sleep_for(milliseconds{5});
  }
  return true;
}

struct ProcessRunnerTest : testing::Test {
  static std::string unique_name() {
    return std::string{"process_runner_"} + std::to_string(getpid()) + "_" +
           testing::UnitTest::GetInstance()->current_test_info()->name();
  }

  // Of this process alone: whatever has a room's name in its environment is ended with that room,
  // and another test may run beside this one.
  static std::string name_of(std::uint32_t room) {
    return "w1-" + std::to_string(getpid()) + "-" + std::to_string(room);
  }

  void shell(std::uint32_t room, const std::string& script) {
    start(room, {.game = {.command = {"/bin/sh", "-c", script}}});
  }
  void start(std::uint32_t room, Launch launch) {
    launch.name = name_of(room);
    launch.game.environment = {"PATH=/usr/bin:/bin", "GREETING=hello"};
    const auto told = [this, room](const GameEnd& end) {
      EXPECT_TRUE(ends.emplace(room, end).second) << "told twice";
    };
    runner->start(RoomNumber{room}, launch,
                  {.ended = told, .wrote = [this](const std::string& text) { wrote += text; }});
    EXPECT_FALSE(ends.contains(room)) << "told from within start()";
  }
  [[nodiscard]] RunnerOptions options(GameOutputOptions output = {.file_bytes = 0}) const {
    return {.cluster = "test",
            .worker = WorkerId{"w1"},
            .state_folder = (folder / "state").string(),
            .output = output};
  }
  std::shared_ptr<GameRunner> make(GameOutputOptions output = {.file_bytes = 0}) {
    auto made = make_process_runner(context, options(output));
    EXPECT_EQ(made->open(), "");
    made->end_others();
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
  std::string wait_for_file(const std::filesystem::path& path) {
    const auto until = std::chrono::steady_clock::now() + seconds{10};
    while (contents(path).find('\n') == std::string::npos) {
      if (std::chrono::steady_clock::now() > until) return {};
      context.restart();
      context.poll();
      std::this_thread::sleep_for(milliseconds{5});
    }
    context.restart();
    context.poll();
    return contents(path);
  }

  // The process that has written its id there.
  pid_t wait_for_process(const std::filesystem::path& path) {
    const std::string written = wait_for_file(path);
    if (written.empty()) throw std::runtime_error{path.string() + " names no process"};
    return std::stoi(written);
  }

  // Of rooms whose runner is still there: they are children of its starter, our only child.
  [[nodiscard]] static std::vector<pid_t> keepers() {
    const auto starters = process::children_of(getpid());
    if (starters.size() != 1) throw std::runtime_error{"there is not one starter"};
    return process::children_of(starters.front());
  }
  [[nodiscard]] static pid_t only_keeper() {
    const auto found = keepers();
    if (found.size() != 1) throw std::runtime_error{"there is not one keeper"};
    return found.front();
  }

  test::TemporaryFolder folder;
  boost::asio::io_context context{1};
  std::shared_ptr<GameRunner> runner = make();
  std::map<std::uint32_t, GameEnd> ends;
  std::string wrote;
};

}  // namespace fixkeep::worker
