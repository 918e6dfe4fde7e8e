// The rooms that a lock value names on workers without a link to the holder. These rooms may have
// seats, so the holder waits for their workers and names the rooms to the next holder.
//
// Hints of rooms on linked workers go into the directory instead. Hints of ordered rooms that no
// worker has shown are stored separately between holds (ordered_rooms.hpp).
// Thread rule: a value, one owner. Bounds: wire::limits::hints. Errors: none.
#pragma once

#include <set>
#include <vector>

#include "common/base/ids.hpp"
#include "common/wire/messages.hpp"
#include "master/core/directory/directory.hpp"
#include "master/core/hold/awaited_workers.hpp"
#include "master/core/hold/hold_events.hpp"
#include "master/core/hold/ordered_rooms.hpp"

namespace fixkeep::master {

// Returns the hints in `earlier` that the last holder left out of `newest`: the rooms had seats,
// their workers have a link, and the directory does not show the rooms. An honest holder leaves out
// a room only if the room is full or gone. So either this master's news is late, or the last holder
// hides the room.
[[nodiscard]] std::vector<wire::RoomHint> concealed_hints(const std::vector<wire::RoomHint>& newest,
                                                          std::vector<wire::RoomHint>&& earlier,
                                                          const GroupKey& group,
                                                          const Directory& directory);

class HintedRooms {
 public:
  // Adds the hints of a lock value. Returns the worker runs that are missing: not connected, not
  // given up and not known to have ended.
  [[nodiscard]] std::set<WorkerRun> merge(std::vector<wire::RoomHint>&& hints,
                                          const GroupKey& group, const AwaitedWorkers& awaited,
                                          Directory& directory);
  // Call when the run has connected. Moves the run's hints to the directory and to the ordered
  // rooms: the run's news may be older than the hints and thus not show these rooms.
  void arrived(const WorkerRun& run, const GroupKey& group, Directory& directory);
  // Call when the worker's link is down. Returns the worker's runs that have ordered rooms.
  [[nodiscard]] std::set<WorkerRun> left(const WorkerId& worker);
  void give_up(const std::set<WorkerRun>& runs);
  void clear() { absent_.clear(); }  // the hold is over

  // Returns the hints for the next holder: rooms that other masters have ordered, and rooms that
  // this master cannot reach.
  [[nodiscard]] std::vector<wire::RoomHint> unseen(const Directory& directory) const;

  [[nodiscard]] OrderedRooms& ordered() { return ordered_; }
  [[nodiscard]] const OrderedRooms& ordered() const { return ordered_; }

 private:
  OrderedRooms ordered_;
  std::vector<wire::RoomHint> absent_;
};

}  // namespace fixkeep::master
