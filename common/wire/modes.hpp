// The state of a worker's modes, for masters: the modes that it runs, and which of these are paused
// (they start no room now) or slow. Also the worker's queue of processes to start. Thread rule:
// values. Bounds: limits.hpp. Errors: none here; the codec checks all bounds.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/ids.hpp"

namespace fixkeep::wire {

enum class PauseCause : std::uint8_t {
  failing,  // its games fail to boot or the runner refuses them; retried after the pause
  drained,  // an operator drained it and must resume it
  slow,     // not paused: rooms start, but the latest has failed or is not ready
};
inline constexpr PauseCause last_pause_cause = PauseCause::slow;

// The word for operators: "failing" and so on.
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
  // Remaining time of the pause when the message is sent. 0: unknown. When the pause ends, the
  // worker sends its modes again.
  std::chrono::milliseconds left{0};
  std::string reason;  // short, not empty: "exit code 1: cannot bind"

  friend bool operator==(const PausedMode&, const PausedMode&) = default;
};

struct WorkerModes {
  std::vector<ModeName> known;
  std::vector<PausedMode> paused;

  friend bool operator==(const WorkerModes&, const WorkerModes&) = default;
};

// The processes that a worker still has to start for its rooms, and its rate of starts.
struct StartQueue {
  std::uint32_t queued = 0;
  std::uint32_t per_minute = 0;  // 0: unknown

  friend bool operator==(const StartQueue&, const StartQueue&) = default;
};

}  // namespace fixkeep::wire
