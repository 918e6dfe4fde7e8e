// One vfork and execve: the cost does not grow with the caller's memory.
//
// The program gets a session and process group of its own, default signals, no blocked signal and
// only the named descriptors. The alternative posix_spawn cannot close the others. Thread rule:
// free function; the calling thread waits until the program is executed.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "common/base/result.hpp"

namespace fixkeep::process {

struct Spawn {
  std::string program;                   // a path
  std::vector<std::string> arguments;    // the program's name first
  std::vector<std::string> environment;  // "NAME=value"
  int input = -1;                        // becomes 0
  int output = -1;                       // becomes 1, and 2 without `error`
  int error = -1;                        // becomes 2
  std::vector<int> inherited;            // become 3, 4, …
  bool ends_with_us = false;             // it is killed when the thread that called has ended
};

// Errors: from vfork and execve.
[[nodiscard]] Result<pid_t> spawn(const Spawn& spawn);

}  // namespace fixkeep::process
