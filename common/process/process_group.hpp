// Processes that lead a group of their own, as spawn() starts them: watched, signalled and ended
// together with all that they have started in the group.
//
// The number of a process, and of its group, is its own until it is reaped; after that another
// process may have it. So a process is signalled before it is reaped, and never after.
// Thread rule: free functions, from any thread of the process that started it. Bounds: none.
// Errors: those of the operating system; a group that is gone already is none.
#pragma once

#include <sys/types.h>

#include <string>

#include "common/base/result.hpp"

namespace fixkeep::process {

// A descriptor, the caller's to close, that is readable once the process has ended.
[[nodiscard]] Result<int> open_watch(pid_t process);
// A wait for the descriptor may be over although nothing has happened, by an event of one that had
// its place in a reactor before: this says whether the process has ended.
[[nodiscard]] bool has_ended(int watch);

void signal_group(pid_t leader, int number);

// Waits for the end of a child, however long that takes; returns its wait status.
int reap(pid_t child);

// Kills what is left of the group and reaps its leader; returns the leader's wait status, which is
// that of its own end if it had ended already. REQUIRES: the leader is a child that is not reaped.
int end_group(pid_t leader);

// "exit code 3", "signal SIGSEGV".
[[nodiscard]] std::string how_it_ended(int wait_status);

// errno as an error code.
[[nodiscard]] boost::system::error_code last_error();

}  // namespace fixkeep::process
