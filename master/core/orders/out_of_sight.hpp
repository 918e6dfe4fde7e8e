// Workers with a broken link, and the groups that must not order a room meanwhile. Such a group has
// a room or an order on one of these workers. The worker is most likely still running.
//
// A worker that was busy, stopped, cut off or restarted returns with its rooms. A room ordered
// elsewhere in the meantime is then a duplicate. Therefore the group waits for a configured time:
// exactness before speed. Rooms closed before the link broke do not count. Groups do not wait for a
// liar or for a worker whose link often breaks (quarantine.hpp).
//
// The next holder may not know these rooms, so the lock value names them (hints).
//
// A claim that asked this worker for seats, or had seats there, waits too. Meanwhile the claim
// takes no seat elsewhere, because the worker may have reserved its seats. After the wait such
// seats are given back (claims/lost_seats.hpp).
//
// A pool waits for every worker that makes rooms of its mode, even without known rooms. Meanwhile
// other masters may have seated players on the worker, even in a room that seemed full. The fence
// would not show these players, and they would be seated twice. Time in which this master is held
// up does not count (held_up()), because its workers must connect again after it.
//
// Thread rule: a value, one owner. Bounds: at most `most_workers` workers. Beyond this bound,
// groups and claims no longer wait for the worker that lost its link first. For each worker: its
// claims, and the groups of its rooms and questions. Errors: none.
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <unordered_set>
#include <utility>
#include <vector>

#include "common/base/ids.hpp"
#include "common/base/time.hpp"
#include "common/wire/rooms.hpp"
#include "master/core/claims/claims.hpp"
#include "master/core/directory/worker.hpp"

namespace fixkeep::master {

class OutOfSight {
 public:
  static constexpr std::size_t most_workers = 1024;

  using Groups = std::unordered_set<GroupKey>;
  using Rooms = std::map<GroupKey, std::vector<wire::RoomHint>>;
  struct Freed {  // groups and claims that no longer wait
    Groups groups;
    std::vector<std::pair<WorkerId, ClaimNumber>> claims;
  };

  // `patience`: time to wait for a worker; 0: no wait.
  explicit OutOfSight(Duration patience) : patience_(patience) {}

  // Call when the worker has lost its link. These groups, and the pools of these modes, then wait
  // for this worker.
  void went(const WorkerId& worker, Groups&& groups, Rooms&& rooms, const std::set<ModeName>& modes,
            TimePoint now);
  // Call when a lock value names a room of the group on this worker. If this master still waits for
  // the worker (see went()), the group waits too. Otherwise nothing happens.
  void add(const WorkerId& worker, const GroupKey& group, TimePoint now);
  // Makes the claim wait for the worker. REQUIRES: waits_for(worker).
  void add(const WorkerId& worker, ClaimNumber claim) { away_.at(worker).claims.push_back(claim); }
  [[nodiscard]] bool waits_for(const WorkerId& worker) const { return away_.contains(worker); }
  // Makes all waits longer by `late`, because this master was held up for this time.
  void held_up(Duration late);
  // Call when the worker is back or no longer awaited. Returns the groups and claims that waited
  // for this worker.
  [[nodiscard]] Freed end(const WorkerId& worker);
  [[nodiscard]] Freed time_passed(TimePoint now);

  [[nodiscard]] bool any() const { return !away_.empty(); }
  // Returns whether the group waits for a worker.
  [[nodiscard]] bool any_of(const GroupKey& group, TimePoint now) const;
  // Returns the group's rooms on these workers, as last known: rooms with free seats, and a match's
  // room.
  [[nodiscard]] std::vector<wire::RoomHint> hints(const GroupKey& group, TimePoint now) const;
  // Returns whether this pool waits for a worker that makes rooms of the mode. If so, end() and
  // time_passed() return this pool among the freed groups.
  [[nodiscard]] bool keeps_back(const GroupKey& pool, const ModeName& mode, TimePoint now);
  [[nodiscard]] TimePoint next_tick() const;  // TimePoint::max(): no tick is needed

 private:
  struct Away {
    TimePoint until;
    Groups groups;
    Rooms rooms;
    std::vector<ClaimNumber> claims;
    std::set<ModeName> modes;  // modes whose pools may have seats on the worker
  };

  static void free(const WorkerId& worker, Away&& away, Freed& freed);

  Duration patience_;
  std::map<WorkerId, Away> away_;
};

// Returns the worker's rooms with free seats, and rooms of matches: for each group at most as many
// as fit in a lock value.
[[nodiscard]] OutOfSight::Rooms rooms_on(const Worker& worker);
// Returns the groups that wait for the worker if its link breaks: the groups of `rooms`, and the
// groups of this master's claims that have seats on the worker. The result does not include groups
// of open questions.
[[nodiscard]] OutOfSight::Groups groups_on(const Worker& worker, const OutOfSight::Rooms& rooms,
                                           const Claims& claims);

// Returns whether the worker has closed its rooms and accepts no more orders.
[[nodiscard]] bool has_ended(const Worker& worker);
// Returns the modes of the pools that wait for the worker if its link breaks; empty after
// has_ended().
[[nodiscard]] std::set<ModeName> pools_on(const Worker& worker);

}  // namespace fixkeep::master
