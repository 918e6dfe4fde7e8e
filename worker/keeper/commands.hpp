// Commands that are run for the room, as its user, in its folder: to ask for readiness, to count
// players, to stop the game.
//
// Thread rule: one owner. Bounds: `most_commands` at a time; of what one writes, what fits a
// packet; the time that the worker gives each. Errors: in the answer.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "worker/keeper/plan.hpp"
#include "worker/keeper/protocol.hpp"

namespace fixkeep::worker::keeper {

inline constexpr std::size_t most_commands = 4;

class Commands {
 public:
  using Clock = std::chrono::steady_clock;

  explicit Commands(const Plan& plan) : plan_(plan) {}
  ~Commands();
  Commands(const Commands&) = delete;
  Commands& operator=(const Commands&) = delete;

  // Starts what `run` asks for; the answer, if it cannot be started.
  [[nodiscard]] std::optional<Packet> start(const Packet& run, Clock::time_point now);
  // The answer, if the process is one of them.
  [[nodiscard]] std::optional<Packet> ended(pid_t process, int status);
  [[nodiscard]] bool contains(pid_t process) const;

  [[nodiscard]] Clock::time_point next_tick() const;  // max(): nothing is waited for
  void kill_slow(Clock::time_point now);

  // To be read when they are readable; none is closed by reading.
  [[nodiscard]] std::vector<int> descriptors() const;
  void read(int descriptor);

 private:
  struct Command {
    std::int32_t which = 0;
    pid_t pid = 0;
    int output = -1;
    bool at_end = false;  // of its output
    bool slow = false;
    Clock::time_point until;
    std::string text;
  };
  static void read_some(Command& command);

  const Plan& plan_;
  std::vector<Command> commands_;
};

}  // namespace fixkeep::worker::keeper
