// The program that runs beside a game until its room ends: Plan::beside.
//
// It is no part of the game: it runs as the keeper's user, outside of the room's control group,
// without an environment. It keeps no room alive. Thread rule: a process without threads. Bounds:
// one start a second. Errors: none; a program that does not start is tried again.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <string>
#include <vector>

namespace fixkeep::worker::keeper {

class Beside {
 public:
  using Clock = std::chrono::steady_clock;

  explicit Beside(std::vector<std::string> command) : command_(std::move(command)) {}

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

 private:
  std::vector<std::string> command_;  // empty: there is no program
  pid_t process_ = 0;                 // 0: it does not run
  Clock::time_point again_ = Clock::time_point::max();
};

}  // namespace fixkeep::worker::keeper
