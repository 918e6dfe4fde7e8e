// Settings of the calling process: its limits and the effect of signals.
// Thread rule: free functions without state. Errors: none.
#pragma once

#include <cstddef>
#include <string>

namespace fixkeep::process {

// Raises the soft limit of open descriptors to the hard limit. Returns the new limit. A master
// needs one descriptor for each waiting player, and the soft limit is often only 1024.
std::size_t raise_descriptor_limit();

// From now on a write fails if the reader is gone or the file must not grow (ulimit -f). Without
// this call a signal would end the process.
void ignore_signals_of_writes();

// Opens /dev/null in place of each standard stream that was closed at the start (`program 2>&-`).
// Otherwise a later socket or file gets the number of the stream and receives messages meant for
// people. Call this first in main().
void hold_standard_streams();

// From now on other processes of the same user cannot trace us or read our memory, environment or
// descriptors. We write no core dump. Thus a game that runs as our user finds no secret. Root can
// still read everything.
void forbid_inspection();

// True if the calling thread has CAP_SYS_PTRACE and can list the descriptors of other users'
// processes. Root has this right, except in containers without it (Docker removes it).
[[nodiscard]] bool sees_processes_of_others();

// For example "SIGTERM"; "signal 42" for a signal without a name.
[[nodiscard]] std::string signal_name(int signal);

}  // namespace fixkeep::process
