// Workers with a broken link, and the groups that must not order a room meanwhile. A room of the
// group, or an order for one, is on this worker. The worker is most likely still there.
//
// A worker that is busy, stopped, cut off or restarted comes back with its rooms. A room that was
// ordered elsewhere in the meantime is then a duplicate. Therefore the group waits for a stated
// time: exactness before speed. Rooms closed before the worker went do not count. A liar is not
// awaited. Nor is a worker that comes and goes (quarantine.hpp).
//
// The next holder may not know these rooms: the lock value names them too (hints).
//
// A claim that asked this worker for seats or had some there waits too. It takes no seat elsewhere
// meanwhile: the worker may have reserved its seats. Seats left when the time is over are given
// back later (claims/lost_seats.hpp).
//
// A pool waits for every worker that makes rooms of its mode, even without known rooms. Other
// masters may have seated players on it since, also in a full room. A player hidden from the fence
// would be seated twice. The time counts only while this master is not held up (held_up): after a
// sleep it has yet to find its workers again.
//
// Thread rule: a value, one owner. Bounds: `most_workers`. Beyond them the oldest is not awaited
// any more. Each has its claims and the groups of its rooms and questions. Errors: none.
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
  struct Freed {  // groups and claims that need not wait any more
    Groups groups;
    std::vector<std::pair<WorkerId, ClaimNumber>> claims;
  };

  // `patience`: for how long a worker is waited for; 0: not at all.
  explicit OutOfSight(Duration patience) : patience_(patience) {}

  // `modes`: pools of these wait, too.
  void went(const WorkerId& worker, Groups&& groups, Rooms&& rooms, const std::set<ModeName>& modes,
            TimePoint now);
  // A lock value names a room of the group there. Nothing happens if the worker is not waited for.
  void add(const WorkerId& worker, const GroupKey& group, TimePoint now);
  // The claim waits for the worker. REQUIRES: waits_for(worker).
  void add(const WorkerId& worker, ClaimNumber claim) { away_.at(worker).claims.push_back(claim); }
  [[nodiscard]] bool waits_for(const WorkerId& worker) const { return away_.contains(worker); }
  // This master was not there for so long.
  void held_up(Duration late);
  // The worker is here again, or is not waited for any more.
  [[nodiscard]] Freed end(const WorkerId& worker);
  [[nodiscard]] Freed time_passed(TimePoint now);

  [[nodiscard]] bool any() const { return !away_.empty(); }
  // Whether the group waits for one of them.
  [[nodiscard]] bool any_of(const GroupKey& group, TimePoint now) const;
  // Rooms of the group with free seats on these workers, as last seen.
  [[nodiscard]] std::vector<wire::RoomHint> hints(const GroupKey& group, TimePoint now) const;
  // Whether a pool waits. If so, end() and time_passed() return it among their groups.
  [[nodiscard]] bool keeps_back(const GroupKey& pool, const ModeName& mode, TimePoint now);
  [[nodiscard]] TimePoint next_tick() const;  // TimePoint::max() if there is nothing

 private:
  struct Away {
    TimePoint until;
    Groups groups;
    Rooms rooms;
    std::vector<ClaimNumber> claims;
    std::set<ModeName> modes;  // modes whose pools may have seats there
  };

  static void free(const WorkerId& worker, Away&& away, Freed& freed);

  Duration patience_;
  std::map<WorkerId, Away> away_;
};

// Rooms of the worker with free seats. Each group has at most the number that a lock value can
// name.
[[nodiscard]] OutOfSight::Rooms rooms_on(const Worker& worker);
// The groups that wait for the worker if its link breaks: the groups of `rooms` and of our claims
// with seats. They may find seats in `rooms`. Groups of open questions are not included.
[[nodiscard]] OutOfSight::Groups groups_on(const Worker& worker, const OutOfSight::Rooms& rooms,
                                           const Claims& claims);

// It has closed its rooms and takes no more.
[[nodiscard]] bool has_ended(const Worker& worker);
// The modes of the pools that wait for the worker if its link breaks: empty if it has ended well.
[[nodiscard]] std::set<ModeName> pools_on(const Worker& worker);

}  // namespace fixkeep::master
