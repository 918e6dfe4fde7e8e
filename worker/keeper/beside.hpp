// The program that runs beside a game until its room ends: Plan::beside.
//
// It is no part of the game: it runs as the keeper's user, outside of the room's control group,
// without an environment. It keeps no room alive. Its standard input is a listening socket, which
// the keeper keeps: no client is refused while the program starts, or starts again. Thread rule: a
// process without threads. Bounds: one start a second. Errors: those of listen(); a program that
// does not start is tried again.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace fixkeep::worker::keeper {

class Beside {
 public:
  using Clock = std::chrono::steady_clock;

  Beside(std::vector<std::string> command, std::uint16_t port)
      : command_(std::move(command)), port_(port) {}
  ~Beside();
  Beside(const Beside&) = delete;
  Beside& operator=(const Beside&) = delete;

  // Listens on all addresses. Returns errno; 0: it listens, or there is no program.
  [[nodiscard]] int listen();
  // Call this when the game has started.
  void start(Clock::time_point now);
  // Starts the program again if it is time.
  void tick(Clock::time_point now) {
    if (now >= again_) start(now);
  }
  [[nodiscard]] Clock::time_point next_tick() const { return again_; }
  // Returns whether `process` is the program.
  bool ended(pid_t process, Clock::time_point now);
  // True for the session of the program and its children.
  [[nodiscard]] bool is(pid_t session) const { return process_ != 0 && session == process_; }
  [[nodiscard]] const std::string& program() const { return command_.front(); }
  [[nodiscard]] std::uint16_t port() const { return port_; }

 private:
  std::vector<std::string> command_;  // empty: there is no program
  std::uint16_t port_;
  int listener_ = -1;
  pid_t process_ = 0;  // 0: it does not run
  Clock::time_point again_ = Clock::time_point::max();
};

}  // namespace fixkeep::worker::keeper
