// A process arranges these for itself: its limits and the effect of signals.
// Thread rule: free functions without state. Errors: none.
#pragma once

#include <cstddef>
#include <string>

namespace fixkeep::process {

// Raises the soft limit of open descriptors to the hard one and returns it: a master holds one a
// waiting player and 1024 is a common default.
std::size_t raise_descriptor_limit();

// From now on a missing reader or a file that may not grow any more (ulimit -f) is an error of the
// write. It does not end the process.
void ignore_signals_of_writes();

// Opens /dev/null in place of each standard stream that was closed at the start (`program 2>&-`).
// Otherwise a socket or a file would get its number and receive text for people. The first line of
// main().
void hold_standard_streams();

// From now on other processes of the same user cannot read our memory, environment or descriptors.
// They cannot trace us and we leave no core. A game that runs as our user thus learns no secret.
// Root still can.
void forbid_inspection();

// Whether the calling thread may see the descriptors of other users' processes by CAP_SYS_PTRACE.
// Root has it unless a container withholds it as Docker does.
[[nodiscard]] bool sees_processes_of_others();

// "SIGTERM"; "signal 42" for one without a name.
[[nodiscard]] std::string signal_name(int signal);

}  // namespace fixkeep::process
