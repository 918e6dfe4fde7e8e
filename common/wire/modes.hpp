// The state of a worker's modes for masters: which it runs, which start no room now and which have
// rooms that are not ready yet. Thread rule: values. Bounds: limits.hpp. Errors: none here; the
// codec checks all bounds.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/ids.hpp"

namespace fixkeep::wire {

enum class PauseCause : std::uint8_t {
  failing,  // its games fail to boot, or their runner refuses them; tried again after the pause
  drained,  // an operator asked for it, and has to end it
  slow,     // no pause: its rooms start, but the latest is not ready or could not be had
};
inline constexpr PauseCause last_pause_cause = PauseCause::slow;

// "failing" and so on, as operators read it.
[[nodiscard]] constexpr std::string_view to_string(PauseCause cause) {
  switch (cause) {
    case PauseCause::failing: return "failing";
    case PauseCause::drained: return "drained";
    case PauseCause::slow: return "slow";
  }
  return "";
}

struct PausedMode {
  ModeName mode;
  PauseCause cause = PauseCause::failing;
  // Counted from when it was said; 0: until the worker says otherwise. The end is always told.
  std::chrono::milliseconds left{0};
  std::string reason;  // few words: "exit code 1: cannot bind"; not empty

  friend bool operator==(const PausedMode&, const PausedMode&) = default;
};

struct WorkerModes {
  std::vector<ModeName> known;
  std::vector<PausedMode> paused;

  friend bool operator==(const WorkerModes&, const WorkerModes&) = default;
};

// Processes that a worker has yet to start for rooms that it has made and how fast it starts them.
struct StartQueue {
  std::uint32_t queued = 0;
  std::uint32_t per_minute = 0;  // 0: not known

  friend bool operator==(const StartQueue&, const StartQueue&) = default;
};

}  // namespace fixkeep::wire
