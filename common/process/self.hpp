// A process arranges these for itself: its limits, and what signals do to it.
// Thread rule: free functions without state. Errors: none.
#pragma once

#include <cstddef>
#include <string>

namespace fixkeep::process {

// Raises the soft limit of open descriptors to the hard one and returns what it is then: a master
// holds one a waiting player, and 1024 is a common default.
std::size_t raise_descriptor_limit();

// From now on a reader that is gone, or a file that may not grow any more (ulimit -f), is an error
// of the write, not the end of the process.
void ignore_signals_of_writes();

// Opens /dev/null in the place of each of the standard streams that was closed when the program was
// started (`program 2>&-`): else a socket or a file gets its number, and what is meant for people
// is written there. The first line of main().
void hold_standard_streams();

// From now on no other process of the same user reads our memory, environment or descriptors, or
// traces us, and we leave no core: a game that runs as our user learns no secret. Root may still.
void forbid_inspection();

// Whether the calling thread may look at the descriptors of other users' processes: by
// CAP_SYS_PTRACE, which root has unless a container withholds it, as Docker does.
[[nodiscard]] bool sees_processes_of_others();

// "SIGTERM"; "signal 42" for one without a name.
[[nodiscard]] std::string signal_name(int signal);

}  // namespace fixkeep::process
