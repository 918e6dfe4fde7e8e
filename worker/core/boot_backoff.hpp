// BootBackoff pauses the starts of a group, or of a whole mode, whose games fail to boot.
//
// What a game boots with is its mode's, or comes with the group: a map that is not there fails in
// one group and says nothing of the others. So a failed boot pauses its group: the first for
// `first`, and each further one for twice as long, up to `most`. It pauses the mode as well if none
// of the mode's rooms has ever lasted; of a mode that has proved itself only failures of `several`
// different groups do, and for no longer than `brief` times `first`: what fails there is most
// likely what was asked for, and others are not to wait for it.
//
// A room that opens ends the pauses of its group and mode; if none of the group fails for `lasting`
// after that, all its failures are forgotten, and the mode has proved itself. A game that opens and
// crashes before is as good as one that never opened. Rooms that were started before the latest
// pause began fail for the reason that is known already, so however many of them fail, they count
// once: a burst of twenty rooms costs as little as one. When a pause is over rooms start as before,
// until the first of them fails.
//
// Invariants: 1. a mode or group that is paused stays so until it opens a room, or until tick() at
//                or after the end of its pause.
//             2. a pause is never longer than `most`.
// Sans-IO. Thread rule: one owner. Bounds: one entry for each mode that has opened or failed, of
// which the caller names only those that it has; `most_groups`, of which the one whose pause ends
// first is forgotten. Errors: none.
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
  Duration most{std::chrono::seconds{60}};  // 0: there are no pauses
  Duration lasting{std::chrono::seconds{5}};
};

struct FailedBoot {
  GroupKey group;
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
  static constexpr std::size_t several = 4;
  static constexpr int brief = 4;
  static constexpr std::size_t most_groups = 256;

  explicit BootBackoff(BootBackoffOptions options) : options_(options) {}

  // The pause of the mode that this failure begins; null if it begins none. Valid until the next
  // call.
  const BootPause* failed(const FailedBoot& failure, TimePoint now);
  void opened(const ModeName& mode, const GroupKey& group, TimePoint now);
  void forget(const ModeName& mode);

  // Null: rooms of the mode may start, but for those of groups that are paused themselves.
  [[nodiscard]] const BootPause* pause(const ModeName& mode) const;
  [[nodiscard]] bool pauses(const GroupKey& group) const;
  [[nodiscard]] TimePoint next_tick() const;
  void tick(TimePoint now);
  // Whether a pause has begun or ended since the last call.
  [[nodiscard]] bool take_changed();

 private:
  // The failures of one group, or of one mode.
  struct Failing {
    BootPause pause;
    bool paused = false;
    Duration length{};
    RoomNumber counted;  // rooms up to this one are part of the latest failure
  };
  struct Opened {
    GroupKey group;
    TimePoint at;
  };
  struct FailingGroup : Failing {
    ModeName mode;
    std::optional<TimePoint> opened;  // its first room to open after it
  };
  struct Mode : Failing {
    bool proved = false;
    std::optional<Opened> opened;  // the first room that may prove it
    std::set<GroupKey> groups;     // those that have failed; `several` at most
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
