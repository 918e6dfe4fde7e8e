// Starts a program by vfork and execve, so the cost does not grow with the caller's memory.
//
// The program gets its own session and process group, default signal handlers, no blocked signal
// and only the named descriptors. The alternative, posix_spawn, cannot close all other descriptors.
// Thread rule: free function; the calling thread waits for execve.
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
  int input = -1;                        // descriptor 0 of the child
  int output = -1;                       // descriptor 1; also 2 if `error` is -1
  int error = -1;                        // descriptor 2
  std::vector<int> inherited;            // descriptors 3, 4, …
  bool ends_with_us = false;             // kill the child when the calling thread ends
};

// Errors: from vfork and execve.
[[nodiscard]] Result<pid_t> spawn(const Spawn& spawn);

}  // namespace fixkeep::process
