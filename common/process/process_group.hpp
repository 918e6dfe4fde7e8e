// Processes that lead a group of their own after spawn(). They are watched, signalled and ended
// together with all processes of the group.
//
// A process keeps its number and its group's until it is reaped. Then another process may get them.
// A process is only signalled before it is reaped.
// Thread rule: free functions, from any thread of the process that started it. Bounds: none.
// Errors: the operating system's; a missing group is no error.
#pragma once

#include <sys/types.h>

#include <string>

#include "common/base/result.hpp"

namespace fixkeep::process {

// A descriptor, the caller's to close, that is readable once the process has ended.
[[nodiscard]] Result<int> open_watch(pid_t process);
// A wait for the descriptor may be over without an end by an event of an earlier descriptor at the
// same place in a reactor. This tells whether the process has ended.
[[nodiscard]] bool has_ended(int watch);

void signal_group(pid_t leader, int number);

// Waits for the end of a child without a limit. Returns its wait status.
int reap(pid_t child);

// Kills the rest of the group and reaps its leader. Returns the leader's wait status. It is from
// its own end if that came first. REQUIRES: the leader is a child that is not reaped.
int end_group(pid_t leader);

// "exit code 3", "signal SIGSEGV".
[[nodiscard]] std::string how_it_ended(int wait_status);

// errno as an error code.
[[nodiscard]] boost::system::error_code last_error();

}  // namespace fixkeep::process
