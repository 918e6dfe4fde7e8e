#include "common/process/service_manager.hpp"

#include <systemd/sd-daemon.h>

#include <cstdint>
#include <ctime>

namespace fixkeep::process {
namespace {

constexpr int keep_environment = 0;

void tell(const std::string& words) {
  (void)::sd_notify(keep_environment, words.c_str());
}

// With Type=notify-reload, the manager must get the time at which a reload starts, by this clock.
std::int64_t monotonic_microseconds() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return std::int64_t{now.tv_sec} * 1'000'000 + now.tv_nsec / 1000;
}

}  // namespace

void tell_ready(const std::string& status) {
  tell("READY=1\nSTATUS=" + status);
}

void tell_reloading() {
  tell("RELOADING=1\nMONOTONIC_USEC=" + std::to_string(monotonic_microseconds()) +
       "\nSTATUS=reads its configuration again");
}

void tell_stopping(const std::string& status) {
  tell("STOPPING=1\nSTATUS=" + status);
}

void tell_alive() {
  tell("WATCHDOG=1");
}

void tell_end_takes(std::chrono::microseconds longer) {
  tell("EXTEND_TIMEOUT_USEC=" + std::to_string(longer.count()));
}

std::optional<std::chrono::microseconds> watchdog_interval() {
  std::uint64_t interval = 0;
  if (::sd_watchdog_enabled(keep_environment, &interval) <= 0) return {};
  return std::chrono::microseconds{interval};
}

}  // namespace fixkeep::process
