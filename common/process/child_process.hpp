// A process that we start, watch and end. It ends with us.
//
// Bare fork and exec rather than Boost.Process: between the two the child arranges a SIGTERM at the
// death of its parent (PR_SET_PDEATHSIG). Thread rule: from a single-threaded process only (the
// death signal belongs to the forking thread). Errors: the operating system's; a program that
// cannot be executed gives exit code 127.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "common/base/result.hpp"

namespace fixkeep::process {

// Descriptors for a child's standard input and output. They stay the caller's. Without: /dev/null
// and the log.
struct ChildStreams {
  int input = -1;
  int output = -1;
};

class ChildProcess {
 public:
  // Errors go to `log`. Its output goes there too if `streams` does not say otherwise.
  [[nodiscard]] static Result<ChildProcess> start(const std::vector<std::string>& arguments,
                                                  const std::filesystem::path& log,
                                                  ChildStreams streams = {});

  ChildProcess() = default;  // no process
  ~ChildProcess();           // kills it if it still runs
  ChildProcess(ChildProcess&& other) noexcept;
  ChildProcess& operator=(ChildProcess&& other) noexcept;
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  [[nodiscard]] pid_t pid() const { return pid_; }
  [[nodiscard]] bool running();
  void signal(int number);
  // False: it still runs.
  bool wait(std::chrono::milliseconds limit);
  // "exit code 3", "signal 11"; empty while it runs.
  [[nodiscard]] std::string how_it_ended();

 private:
  explicit ChildProcess(pid_t pid) : pid_(pid) {}

  pid_t pid_ = 0;
  std::optional<int> status_;
};

// From now on processes that outlive their parent become children of this process rather than of
// init. They can then be counted and ended.
void adopt_orphans();

// Ends the children of this process that no ChildProcess has started and returns their number. A
// child that ends by itself within the grace does not count.
[[nodiscard]] std::size_t end_orphans(std::chrono::milliseconds grace = {});

}  // namespace fixkeep::process
