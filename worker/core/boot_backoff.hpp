// BootBackoff pauses the starts of groups and modes whose games fail to boot.
//
// A failed boot pauses its group. It does not always pause the mode, because the group can be the
// only cause: if a map is missing, only the groups that need this map fail. The first pause lasts
// `first`; each further pause is twice as long, up to `most`. If no room of the mode has ever
// lasted, the mode is paused too. A mode whose room has lasted is paused only when `several`
// different groups fail. This pause is at most `brief` times as long as the first pause, because
// the cause is most likely in the requests and other players must not wait.
//
// A room that opens ends the pauses of its group and mode. If the group then has no failure for the
// time `lasting`, its failures are forgotten, and the mode counts as proved: a room has lasted. A
// room that crashes within the time `lasting` counts as never opened. If rooms that were started
// before the latest pause fail too, all these failures count as one. After a pause, rooms start
// normally until a room fails.
//
// Invariants: 1. A paused mode or group stays paused until it opens a room or is forgotten, or
//                until the first tick() at or after the end of its pause.
//             2. A pause is never longer than `most`.
// Sans-IO. Thread rule: one owner. Bounds: one entry for each mode that the caller names; at most
// `most_groups` groups. A further group replaces the group whose pause ends first.
// Errors: none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "common/base/ids.hpp"
#include "common/base/time.hpp"

namespace fixkeep::worker {

struct BootBackoffOptions {
  Duration first{std::chrono::seconds{1}};
  // The longest pause. A mode thus starts rooms again at most a minute after its repair, and a
  // broken mode fails only once a minute. 0: no pauses.
  Duration most{std::chrono::seconds{60}};
  Duration lasting{std::chrono::seconds{5}};
};

struct FailedBoot {
  GroupKey group;
  ModeName mode;
  RoomNumber room;
  RoomNumber newest;  // the room that was started last, of any mode
  std::string why;
};

struct BootPause {
  TimePoint until;
  std::uint32_t failures = 0;  // consecutive failures; a burst counts once
  std::string why;             // the failure that began this pause
};

class BootBackoff {
 public:
  static constexpr std::size_t several = 4;
  static constexpr int brief = 4;
  static constexpr std::size_t most_groups = 256;

  explicit BootBackoff(BootBackoffOptions options) : options_(options) {}

  // If this failure begins a pause of the mode, returns that pause; otherwise null. The pointer is
  // valid until the next call.
  const BootPause* failed(const FailedBoot& failure, TimePoint now);
  void opened(const ModeName& mode, const GroupKey& group, TimePoint now);
  void forget(const ModeName& mode);

  // Returns the mode's pause, or null. A mode without a pause can have paused groups.
  [[nodiscard]] const BootPause* pause(const ModeName& mode) const;
  [[nodiscard]] bool pauses(const GroupKey& group) const;
  [[nodiscard]] TimePoint next_tick() const;
  void tick(TimePoint now);
  // Returns whether a pause has begun or ended since the last call.
  [[nodiscard]] bool take_changed();

 private:
  // The failures of one group, or of one mode.
  struct Failing {
    BootPause pause;
    bool paused = false;
    Duration length{};
    RoomNumber counted;  // rooms up to this number belong to the latest failure
  };
  struct Opened {
    GroupKey group;
    TimePoint at;
  };
  struct FailingGroup : Failing {
    ModeName mode;
    std::optional<TimePoint> opened;  // the first room that opened after the failure
  };
  struct Mode : Failing {
    bool proved = false;
    std::optional<Opened> opened;  // the first open room; if this room lasts, the mode has proved
                                   // itself
    std::set<GroupKey> groups;     // groups that have failed, at most `several`
  };

  void group_failed(const FailedBoot& failure, TimePoint now);
  FailingGroup& group_of(const GroupKey& group);
  void begin(Failing& failing, const FailedBoot& failure, Duration most, TimePoint now);
  void end(Failing& failing);

  BootBackoffOptions options_;
  std::map<ModeName, Mode> modes_;
  std::map<GroupKey, FailingGroup> groups_;
  bool changed_ = false;
};

}  // namespace fixkeep::worker
