// How long a worker starts no room of a mode whose games fail to boot.
//
// A failed boot begins a pause of `first`, and each further one doubles it, up to `most`. A room
// that opens ends the pause; if none fails for `settled` after that, all failures are forgotten. A
// game that opens and crashes before is as good as one that never opened. Rooms that were started
// before the latest pause began fail for the reason that is known already, so however many of them
// fail, they count once: a burst of twenty rooms costs as little as one. When a pause is over rooms
// start as before, until the first of them fails.
//
// Invariants: 1. pause(mode) is not null from the failure on until tick() at or after its end.
//             2. a pause is never longer than `most`.
// Sans-IO. Thread rule: one owner. Bounds: one entry for each mode that has failed; the caller
// names only modes that it has. Errors: none.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "common/base/ids.hpp"
#include "common/base/time.hpp"

namespace fixkeep::worker {

struct BootBackoffOptions {
  Duration first{std::chrono::seconds{1}};
  Duration most{std::chrono::seconds{60}};  // 0: there are no pauses
  Duration settled{std::chrono::seconds{5}};
};

struct FailedBoot {
  ModeName mode;
  RoomNumber room;
  RoomNumber newest;  // the latest room that was started, of whatever mode
  std::string why;
};

struct BootPause {
  TimePoint until;
  std::uint32_t failures = 0;  // in a row, bursts counted once
  std::string why;             // the first of them that began this pause
};

class BootBackoff {
 public:
  explicit BootBackoff(BootBackoffOptions options) : options_(options) {}

  // The pause that this failure begins; null if it begins none. Valid until the next call.
  const BootPause* failed(FailedBoot failure, TimePoint now);
  void opened(const ModeName& mode, TimePoint now);
  void forget(const ModeName& mode);

  // Null: rooms of the mode may start.
  [[nodiscard]] const BootPause* pause(const ModeName& mode) const;
  [[nodiscard]] TimePoint next_tick() const;
  void tick(TimePoint now);
  // Whether a pause has begun or ended since the last call.
  [[nodiscard]] bool take_changed();

 private:
  struct Failing {
    BootPause pause;
    bool paused = false;
    Duration length{};
    RoomNumber counted;               // rooms up to this one are part of the latest failure
    std::optional<TimePoint> opened;  // the first room to open after it
  };

  BootBackoffOptions options_;
  std::map<ModeName, Failing> failing_;
  bool changed_ = false;
};

}  // namespace fixkeep::worker
