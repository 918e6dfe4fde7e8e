// Reports the state of this process to its service manager: systemd, or another manager with the
// protocol of sd_notify(3). Does nothing without NOTIFY_SOCKET.
//
// libsystemd reads its variables at each call, so these stay in the environment. Our children do
// not inherit the variables: each child gets a new environment (common/process/spawn.hpp). Thread
// rule: free functions; their only state is the environment. Bounds: one datagram a call, dropped
// if the manager does not accept it. Errors: none; a service continues without its manager.
#pragma once

#include <chrono>
#include <optional>
#include <string>

namespace fixkeep::process {

// `status`: a short sentence for people, printed by systemctl status.
void tell_ready(const std::string& status);
void tell_reloading();
void tell_stopping(const std::string& status);

// REQUIRES: if watchdog_interval() has a value, call this again within that time.
void tell_alive();

// Extends the manager's time limit for the stop: from now on the manager waits at most `longer`.
void tell_end_takes(std::chrono::microseconds longer);

// Returns the time after which the manager ends a process that has not called tell_alive(). No
// value: the manager does not watch this process.
[[nodiscard]] std::optional<std::chrono::microseconds> watchdog_interval();

}  // namespace fixkeep::process
