// Counts duplicates among the rooms that this master ordered. Duplicates show an operator that a
// lock fails.
//
// For a while after an order, the class watches the group's rooms that were unknown at the order.
// It records each room's highest number of taken seats. Then it visits these rooms in the order of
// their creation. A room was not needed if an earlier room had space for all its players. A room
// that was not needed counts if this master ordered it, and if another grant of the lock made the
// earlier room. Thus the counts of all masters can be added.
//
// The count is a lower bound: a room does not count if its players fit only into several other
// rooms together. The count can be too high in two cases. Clients may hang up between the order and
// the check. Or the master was cut off from a worker and could not know this worker's rooms; no
// lock can prevent such a duplicate.
// Thread rule: one owner. Bounds: at most `watches_most` grants at a time. Orders of other masters
// are not checked. look() costs O(new rooms). Errors: none.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <set>

#include "common/base/ids.hpp"
#include "common/base/time.hpp"
#include "common/wire/messages.hpp"
#include "master/core/directory/directory.hpp"

namespace fixkeep::master {

class DuplicateWatch {
 public:
  static constexpr Duration watched_for{std::chrono::seconds{1}};
  static constexpr Duration look_every{std::chrono::milliseconds{50}};
  static constexpr std::size_t watches_most = 256;

  using Counts = std::map<ModeName, std::uint64_t>;

  void ordered(const wire::SpawnRoom& order, const Directory& directory, TimePoint now);
  // Makes the checks that are due. Call this function often: it costs nothing if no check is due.
  void look(const Directory& directory, TimePoint now);

  [[nodiscard]] const Counts& counts() const { return counts_; }
  [[nodiscard]] std::uint64_t total() const;  // sum over all modes

 private:
  struct Known {  // a worker's newest room at the time of the order
    Incarnation incarnation;
    RoomNumber newest;
  };
  struct Watch {
    GroupKey group;
    FencingToken token;
    TimePoint ends;
    std::map<WorkerId, Known> known;
    std::set<CreationId> orders;
    std::map<RoomId, std::uint32_t> most_taken;  // key: a new room
  };

  static void look(Watch& watch, const Directory& directory);
  void judge(const Watch& watch, const Directory& directory);

  std::deque<Watch> watches_;  // ordered by the end of the watch
  TimePoint next_look_;
  Counts counts_;
};

}  // namespace fixkeep::master
