// The text behind the # of the page's address: the settings of a world and the commands given to
// it.
//
//   lock=multiphase&masters=3&seed=1&steps=250&do=40@1200000.stop.2~41@1500000.cut.1.2
//
// A command is STEP@MICROSECONDS.ACT with the numbers that its act needs. The same text always
// gives the same world. Thread rule: values. Bounds: the limits below. Errors: read_plan() names
// the first mistake.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/time.hpp"
#include "lock/core/rules.hpp"

namespace fixkeep::lab_web {

inline constexpr int masters_least = 2;
inline constexpr int masters_most = 9;
inline constexpr std::uint64_t steps_most = 30'000;
inline constexpr std::size_t commands_most = 500;
inline constexpr std::uint64_t seed_most = 1'000'000;
inline constexpr int slower_ms_most = 2'000;

enum class Act : std::uint8_t {
  stop,     // A: the process of master A gets no processor time (SIGSTOP)
  resume,   // A: it continues
  kill,     // A
  start,    // A
  ask,      // A: a player of master A wants the lock
  leave,    // A: the player ends its hold or its wait
  cut,      // A B: messages from A do not reach B
  heal,     // A B
  slow,     // A B MS: later messages from A to B take MS longer
  hold,     // A B: messages from A to B wait
  deliver,  // A B: the first waiting message from A to B arrives
};

struct Command {
  std::uint64_t step = 0;  // number of steps before this command
  TimePoint at;
  Act act = Act::stop;
  int a = 0;
  int b = 0;  // 0 is the worker
  int ms = 0;
};

struct Settings {
  std::string strategy = "multiphase";
  int masters = 3;
  std::uint64_t seed = 1;
  bool players = true;  // the seed decides when players ask; false: only commands make them ask
  bool fence = true;    // holders fence, and the worker refuses lower tokens
  lock::Rules rules;
  bool ordered_links = true;
};

struct Plan {
  Settings settings;
  std::vector<Command> commands;
  std::uint64_t steps = 0;
};

// Returns the mistake in the text, or an empty string.
[[nodiscard]] std::string read_plan(std::string_view text, Plan& plan);
// Writes commands as read_plan() reads them: STEP@MICROSECONDS.ACT, with ~ between two commands.
[[nodiscard]] std::string show(const std::vector<Command>& commands);
// Reads ACT.A.B.MS into the command.
[[nodiscard]] std::string read_act(std::string_view text, Command& command);

}  // namespace fixkeep::lab_web
