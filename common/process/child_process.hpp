// A child process: started, watched and ended by this process. The child ends when this process
// ends.
//
// Uses plain fork and exec instead of Boost.Process: between the two calls the child requests a
// SIGTERM at its parent's death (PR_SET_PDEATHSIG). Thread rule: from a single-threaded process
// only (the signal is sent when the forking thread ends). Errors: the operating system's; a program
// that cannot be executed gives exit code 127.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "common/base/result.hpp"

namespace fixkeep::process {

// Descriptors for a child's standard input and output. The caller closes these descriptors.
// Defaults (-1): /dev/null for input, the log for output.
struct ChildStreams {
  int input = -1;
  int output = -1;
};

class ChildProcess {
 public:
  // Starts a program. Its standard error is written to the file `log`. Its standard output is
  // written to the same file, unless `streams` names a descriptor for it.
  [[nodiscard]] static Result<ChildProcess> start(const std::vector<std::string>& arguments,
                                                  const std::filesystem::path& log,
                                                  ChildStreams streams = {});

  ChildProcess() = default;  // no process
  ~ChildProcess();           // kills a running process
  ChildProcess(ChildProcess&& other) noexcept;
  ChildProcess& operator=(ChildProcess&& other) noexcept;
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  [[nodiscard]] pid_t pid() const { return pid_; }
  [[nodiscard]] bool running();
  void signal(int number);
  // Waits until the process ends or the time `limit` is over. Returns false if the process still
  // runs.
  bool wait(std::chrono::milliseconds limit);
  // For example "exit code 3" or "signal 11"; empty while the process runs.
  [[nodiscard]] std::string how_it_ended();

 private:
  explicit ChildProcess(pid_t pid) : pid_(pid) {}

  pid_t pid_ = 0;
  std::optional<int> status_;
};

// From now on this process becomes the parent of orphaned descendants. Without this call, init
// becomes their parent. end_orphans() can then count and end them.
void adopt_orphans();

// Waits for the exit of the children that no ChildProcess has started, at most for the time
// `grace`. Kills the children that still run, and returns the number of these.
[[nodiscard]] std::size_t end_orphans(std::chrono::milliseconds grace = {});

}  // namespace fixkeep::process
