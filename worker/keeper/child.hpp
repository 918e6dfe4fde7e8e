// Starts a process of the room: the game, or a command that is run for it.
//
// It gets a session and process group of its own, default signals, /dev/null as input, and the
// room's folder, user, control group and limits. Every other descriptor is closed, and it dies with
// the keeper. It gains no privileges by what it executes and leaves no core. Thread rule: a
// process without threads. Bounds: none. Errors: with the step that failed.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "worker/keeper/plan.hpp"
#include "worker/keeper/protocol.hpp"

namespace fixkeep::worker::keeper {

struct Started {
  pid_t pid = 0;  // 0: it was not started
  Cause failure = Cause::ended;
  int error = 0;  // errno
};

// `output` becomes standard output and standard error.
[[nodiscard]] Started start_child(const Plan& plan, const std::string& program,
                                  const std::vector<std::string>& arguments, int output);

}  // namespace fixkeep::worker::keeper
