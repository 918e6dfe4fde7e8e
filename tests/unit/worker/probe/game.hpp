// A real game server as a child of the test, its output line by line, and what a Prober says of it.
// Thread rule: one thread, which runs the io_context. Bounds: those of the test; waits end after
// wait_limit. Errors: failures of the test.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ip/udp.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <chrono>
#include <csignal>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/process/proc.hpp"
#include "common/process/process_group.hpp"
#include "common/process/spawn.hpp"
#include "worker/probe/prober.hpp"

namespace fixkeep::probe {

inline constexpr std::chrono::seconds wait_limit{20};

// All that descend from a process, and itself if it still runs.
inline Processes family_of(pid_t first) {
  Processes all;
  std::deque<pid_t> next{first};
  while (!next.empty()) {
    const pid_t process = next.front();
    next.pop_front();
    if (process::alive(process)) all.push_back(process);
    for (const pid_t child : process::children_of(process)) next.push_back(child);
  }
  return all;
}

class Game {
 public:
  Game(boost::asio::io_context& context, const std::vector<std::string>& command,
       const std::vector<std::string>& environment = {})
      : output_(context) {
    std::array<int, 2> ends{};
    EXPECT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
    const int null = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
    const auto spawned = process::spawn({command.front(), command, environment, null, ends[1], {}});
    EXPECT_TRUE(spawned) << command.front() << ": " << spawned.error().message();
    pid_ = spawned ? *spawned : 0;
    ::close(null);
    ::close(ends[1]);
    output_.assign(ends[0]);
    read();
  }
  ~Game() { end(); }
  Game(const Game&) = delete;
  Game& operator=(const Game&) = delete;

  // Its wait status.
  int end() { return pid_ == 0 ? 0 : process::end_group(std::exchange(pid_, 0)); }
  [[nodiscard]] int wait() { return process::reap(std::exchange(pid_, 0)); }
  void signal(int number) const { process::signal_group(pid_, number); }
  [[nodiscard]] pid_t pid() const { return pid_; }

  std::function<void(const std::string&)> on_line;

 private:
  void read() {
    output_.async_read_some(boost::asio::buffer(*buffer_),
                            [this, buffer = std::weak_ptr{buffer_}](boost::system::error_code error,
                                                                    std::size_t bytes) {
                              // What was read before this object went away may be told after.
                              const auto kept = buffer.lock();
                              if (error || kept == nullptr) return;
                              take({kept->data(), bytes});
                              read();
                            });
  }
  void take(std::string_view bytes) {
    for (const char c : bytes) {
      if (c != '\n') {
        line_ += c;
      } else if (const auto line = std::exchange(line_, {}); on_line) {
        on_line(line);
      }
    }
  }

  pid_t pid_ = 0;
  boost::asio::posix::stream_descriptor output_;
  using Buffer = std::array<char, 65536>;
  std::shared_ptr<Buffer> buffer_ = std::make_shared<Buffer>();
  std::string line_;
};

struct ProberFixture : testing::Test {
  template <class Condition>
  [[nodiscard]] bool run_until(Condition condition, std::chrono::milliseconds limit = wait_limit) {
    const auto end = std::chrono::steady_clock::now() + limit;
    while (!condition()) {
      if (std::chrono::steady_clock::now() >= end) return false;
      context.restart();
      context.run_one_for(std::chrono::milliseconds{10});
    }
    return true;
  }
  void run_for(std::chrono::milliseconds time) {
    (void)run_until([] { return false; }, time);
  }

  // Probes the game with a plan, and feeds its lines; REQUIRES: the game is there.
  void probe(const ProbePlan& plan, const Ports& ports, std::function<Processes()> processes,
             RunCommand run = {}) {
    ASSERT_EQ(problem_of(plan, ports), "");
    prober = std::make_unique<Prober>(
        context,
        ProberOptions{.room = "w1-1-1",
                      .plan = plan,
                      .ports = ports,
                      .processes = std::move(processes),
                      .run = std::move(run)},
        ProberHandlers{.ready = [this] { ready = true; },
                       .unhealthy = [this](const std::string& why) { unhealthy = why; },
                       .players = [this](const PlayerCount& count) { players = count; },
                       .players_unknown = [this](const std::string& why) { unknown = why; }});
    prober->started();
  }

  boost::asio::io_context context{1};
  bool ready = false;
  std::string unhealthy;
  std::string unknown;
  std::optional<PlayerCount> players;
  std::unique_ptr<Prober> prober;
};

}  // namespace fixkeep::probe
