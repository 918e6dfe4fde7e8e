// Watches, signals and ends a group of processes: the leader, which spawn() has started, and its
// descendants. A signal or a kill reaches all processes of the group.
//
// The numbers of a process and of its group stay reserved until the process is reaped. After that,
// another process may get these numbers. Thus signal a process only before you reap it. Thread
// rule: free functions, from any thread of the process that started the group. Bounds: none.
// Errors: the operating system's; a missing group is no error.
#pragma once

#include <sys/types.h>

#include <string>

#include "common/base/result.hpp"

namespace fixkeep::process {

// A descriptor that becomes readable when the process has ended. The caller closes it.
[[nodiscard]] Result<int> open_watch(pid_t process);
// True if the process has ended. Check this when a reactor reports the descriptor: the report may
// be an old event of a closed descriptor with the same number.
[[nodiscard]] bool has_ended(int watch);

void signal_group(pid_t leader, int number);

// Waits for the end of a child, without a time limit. Returns the child's wait status.
int reap(pid_t child);

// Kills the rest of the group and reaps the leader. Returns the leader's wait status, because the
// leader has possibly exited before the kill. REQUIRES: the leader is a child that is not reaped.
int end_group(pid_t leader);

// For example "exit code 3" or "signal SIGSEGV".
[[nodiscard]] std::string how_it_ended(int wait_status);

// Returns errno as an error code.
[[nodiscard]] boost::system::error_code last_error();

}  // namespace fixkeep::process
