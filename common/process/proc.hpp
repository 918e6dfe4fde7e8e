// These functions ask what the operating system knows about processes, from /proc.
//
// Thread rule: free functions. Errors: a process that is gone has no children, no environment and
// no memory, and does not run.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace fixkeep::process {

[[nodiscard]] std::vector<pid_t> all();  // of this machine, or container
[[nodiscard]] std::vector<pid_t> children_of(pid_t parent);

// All below a process: its children, theirs, and so on.
[[nodiscard]] std::vector<pid_t> descendants_of(pid_t ancestor);

// Neither gone nor a zombie that only waits to be collected.
[[nodiscard]] bool alive(pid_t pid);

// A signal has stopped it already, as opposed to: will stop it when it next has time to run.
[[nodiscard]] bool stopped(pid_t pid);

// The real one; nothing if the process is gone.
[[nodiscard]] std::optional<uid_t> user_of(pid_t pid);

// Empty if the process has no such variable.
[[nodiscard]] std::string environment_of(pid_t pid, const std::string& name);

// Returns the time for which the first thread of one of them has been ready to run and was not
// scheduled, since it was started; it is that of the one which has waited longest. Zero where the
// kernel does not count it.
[[nodiscard]] std::chrono::nanoseconds waited_for_processor(const std::vector<pid_t>& processes);

// Bytes: the most resident memory that the process has had at a time since the last reset.
[[nodiscard]] std::size_t peak_memory(pid_t pid);
void reset_peak_memory(pid_t pid);

}  // namespace fixkeep::process
