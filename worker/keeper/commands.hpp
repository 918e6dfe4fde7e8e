// Commands runs commands for the room, as the room's user and in its folder. The commands test
// readiness, count players or stop the game.
//
// Thread rule: one owner. Bounds: `most_commands` at a time; for each command, one packet of output
// and the worker's time limit. Errors: reported in the answer.
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

  // Starts the command in `run`. If the start fails, returns the answer for the worker.
  [[nodiscard]] std::optional<Packet> start(const Packet& run, Clock::time_point now);
  // If `process` is a command, returns its answer.
  [[nodiscard]] std::optional<Packet> ended(pid_t process, int status);
  [[nodiscard]] bool contains(pid_t process) const;

  [[nodiscard]] Clock::time_point next_tick() const;  // max(): no command runs
  void kill_slow(Clock::time_point now);

  // Returns the descriptors to poll for reading. They all stay open until ended() is called.
  [[nodiscard]] std::vector<int> descriptors() const;
  void read(int descriptor);

 private:
  struct Command {
    std::int32_t which = 0;
    pid_t pid = 0;
    int output = -1;
    bool at_end = false;  // the output has ended
    bool slow = false;
    Clock::time_point until;
    std::string text;
  };
  static void read_some(Command& command);

  const Plan& plan_;
  std::vector<Command> commands_;
};

}  // namespace fixkeep::worker::keeper
