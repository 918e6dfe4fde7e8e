// The command line of fixkeep-odd-server. Errors: CLI11 says them and ends the process with code 2.
#pragma once

#include <chrono>
#include <cstdint>
#include <set>
#include <string>

namespace fixkeep::odd {

// What real dedicated servers do; each was seen with one.
enum class Habit : std::uint8_t {
  next_port,          // takes the next free port if its own is taken, and does not say so
  ready_before_bind,  // says that it is ready, then binds, and exits with 1 if it cannot
  small_first,        // answers "info" only to a client that has asked "ping"
  once_a_second,      // is silent for an address that asked less than a second ago
  deaf_at_first,      // loses the first three packets
  hang,               // on SIGUSR1 or `--after-ms` after its start: it runs, and answers nothing
  fork_and_leave,     // goes on in a child of a session of its own, while the first process exits
  flood,              // writes without end
  ignore_sigterm,
  late,        // answers after `--after-ms`
  needs_home,  // exits with 1 if it cannot write into $HOME
  hoard,       // takes memory without end, on SIGUSR1
  a2s,         // answers A2S_INFO, with a challenge
};

struct Options {
  std::set<Habit> habits;
  bool tcp = false;  // else UDP
  std::uint16_t port = 0;
  std::string port_file;  // without --port: its first line is the number
  std::chrono::milliseconds after{0};
  std::uint8_t players = 0;  // without bots
  std::uint8_t bots = 0;

  [[nodiscard]] bool has(Habit habit) const { return habits.contains(habit); }
};

[[nodiscard]] Options parse_options(int argc, char** argv);

}  // namespace fixkeep::odd
