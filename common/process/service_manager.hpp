// Reports the states of this process to its service manager: systemd or another one with its
// protocol (sd_notify(3)). Without NOTIFY_SOCKET it does nothing.
//
// libsystemd reads the environment each time: the variables stay there. They reach no other
// process: our children get a new environment (common/process/spawn.hpp). Thread rule: free
// functions without state as the environment. Bounds: one datagram a call. It is dropped if the
// manager does not take it. Errors: none; a service goes on without its manager.
#pragma once

#include <chrono>
#include <optional>
#include <string>

namespace fixkeep::process {

// `status` is a short sentence for people; systemctl status shows it.
void tell_ready(const std::string& status);
void tell_reloading();
void tell_stopping(const std::string& status);

// REQUIRES: once more within watchdog_interval(), if there is one.
void tell_alive();

// The manager waits for this long from now on although the end takes longer than it has allowed.
void tell_end_takes(std::chrono::microseconds longer);

// The manager ends a process that has not said for so long that it is alive.
[[nodiscard]] std::optional<std::chrono::microseconds> watchdog_interval();

}  // namespace fixkeep::process
