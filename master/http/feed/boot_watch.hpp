// BootWatch measures the boot times of rooms, as a master hears of them: from the news that a room
// is starting to the news that it is open.
//
// Rooms of all masters count, and warm ones. A room that was starting when the watch began, or that
// is known by a hint only, does not: its beginning is unknown. A failed boot has no time.
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
