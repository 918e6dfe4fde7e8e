// Starts a process of the room: the game or a command for it.
//
// The process gets its own session and process group, default signals and /dev/null as input. It
// also gets the room's folder, user, control group and limits. Every other descriptor is closed,
// and the process dies with the keeper. Programs that the process executes gain no privileges, and
// the process leaves no core file. Thread rule: a process without threads. Bounds: none. Errors:
// returned with the failed step.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "worker/keeper/plan.hpp"
#include "worker/keeper/protocol.hpp"

namespace fixkeep::worker::keeper {

struct Started {
  pid_t pid = 0;  // 0: not started
  Cause failure = Cause::ended;
  int error = 0;  // errno
};

// Starts `program`. `output` becomes its standard output and standard error, and `input` its
// standard input; -1: /dev/null.
[[nodiscard]] Started start_child(const Plan& plan, const std::string& program,
                                  const std::vector<std::string>& arguments, int output,
                                  int input = -1);

}  // namespace fixkeep::worker::keeper
