// These functions read facts about processes from /proc.
//
// Thread rule: free functions. Errors: a process that is gone has no children, environment or
// memory, and does not run.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace fixkeep::process {

[[nodiscard]] std::vector<pid_t> all();  // all processes of this machine, or container
[[nodiscard]] std::vector<pid_t> children_of(pid_t parent);

// All below a process: its children, their children, and so on.
[[nodiscard]] std::vector<pid_t> descendants_of(pid_t ancestor);

// Neither gone nor a zombie that only waits to be collected.
[[nodiscard]] bool alive(pid_t pid);

// A signal has stopped it already, as opposed to: will stop it when it next has time to run.
[[nodiscard]] bool stopped(pid_t pid);

// The real one; nothing if the process is gone.
[[nodiscard]] std::optional<uid_t> user_of(pid_t pid);

// Empty if the process lacks the variable.
[[nodiscard]] std::string environment_of(pid_t pid, const std::string& name);

// Returns how long since its start the first thread of a process was ready to run but not
// scheduled. Of several processes it is the longest time. Zero if the kernel does not count it.
[[nodiscard]] std::chrono::nanoseconds waited_for_processor(const std::vector<pid_t>& processes);

// Bytes: the most resident memory that the process has had at a time since the last reset.
[[nodiscard]] std::size_t peak_memory(pid_t pid);
void reset_peak_memory(pid_t pid);

}  // namespace fixkeep::process
