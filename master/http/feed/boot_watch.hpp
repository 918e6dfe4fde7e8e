// BootWatch measures, from a directory's news, how long rooms boot: from a room's start to its
// opening.
//
// The rooms of all masters count, and warm rooms count too. A room that was starting at
// the beginning of the watch does not count, because its start is unknown. A room known only from a
// hint does not count either. A failed boot is not measured.
// Thread rule: a value, one owner. Bounds: as many entries as starting rooms. Errors: none.
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
  // The first call begins the watch. REQUIRES: all later news of the directory is passed in.
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
