// Reads facts about processes from /proc.
//
// Thread rule: free functions. Errors: an ended process has no children, environment or memory, and
// is not alive.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace fixkeep::process {

[[nodiscard]] std::vector<pid_t> all();  // all processes of this machine or container
[[nodiscard]] std::vector<pid_t> children_of(pid_t parent);

// The children of a process, their children, and so on.
[[nodiscard]] std::vector<pid_t> descendants_of(pid_t ancestor);

// False for a zombie (ended, not reaped) and for an unknown number.
[[nodiscard]] bool alive(pid_t pid);

// True if a signal has already stopped the process. A stop signal can take effect later than it is
// sent.
[[nodiscard]] bool stopped(pid_t pid);

// The real user; no value if the process has ended.
[[nodiscard]] std::optional<uid_t> user_of(pid_t pid);

// The value of the variable `name` of this process; empty if the variable is not set.
[[nodiscard]] std::string environment_of(pid_t pid, const std::string& name);

// Returns how long a process was ready to run but not scheduled, since its start. Counts its first
// thread only. Among several processes the longest time is returned; zero if the kernel does not
// measure it.
[[nodiscard]] std::chrono::nanoseconds waited_for_processor(const std::vector<pid_t>& processes);

// Returns the peak of resident memory since the last reset, in bytes.
[[nodiscard]] std::size_t peak_memory(pid_t pid);
void reset_peak_memory(pid_t pid);

}  // namespace fixkeep::process
