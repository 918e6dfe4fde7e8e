// BootWatch measures the boot times of rooms by a master's news: from a starting room to an open
// one.
//
// Rooms of all masters count. Warm ones count too. A room that was starting when the watch began
// has an unknown beginning and does not count. Nor does a room known by a hint only. A failed boot
// has no time.
// Thread rule: a value, one owner. Bounds: the rooms that start. Errors: none.
#pragma once

#include <map>
#include <optional>

#include "common/base/duration_histogram.hpp"
#include "common/base/ids.hpp"
#include "common/base/time.hpp"
#include "master/core/directory/directory.hpp"

namespace fixkeep::master {

class BootWatch {
 public:
  // The first call is the beginning. REQUIRES: all news of the directory since then are shown.
  void note(const DirectoryNews& news, const Directory& directory, TimePoint now);
  [[nodiscard]] const DurationHistogram& times() const { return times_; }

 private:
  using Began = std::optional<TimePoint>;  // null: unknown

  void begin(const Directory& directory);
  void look(const RoomId& id, const Room* room, TimePoint now);

  std::map<RoomId, Began> starting_;
  DurationHistogram times_;
  bool begun_ = false;
};

}  // namespace fixkeep::master
