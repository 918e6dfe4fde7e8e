// A PostgreSQL server of its own, and signals to a server with child processes.
//
// PostgreSQL refuses to run as root. If this process is root, the server runs as the user
// "postgres" of Debian's package. The role and the database are both called "fixkeep".
// Thread rule: free functions in a single-threaded process (child_process.hpp). Errors: a text that
// names the missing package or the failed step.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "common/process/child_process.hpp"

namespace fixkeep::client_sim {

// Makes the data in `folder`/postgres, and the command for a server on this port of the loopback.
// Returns the failure; empty: none.
[[nodiscard]] std::string prepare_postgres(const std::filesystem::path& folder, std::uint16_t port,
                                           std::vector<std::string>& command);

// Sends the signal to a process and then to its children.
void signal_family(const process::ChildProcess& process, int number);
// Kills a process and its children, and waits for their end. Returns false after the limit.
[[nodiscard]] bool kill_family(process::ChildProcess& process, std::chrono::milliseconds limit);

}  // namespace fixkeep::client_sim
