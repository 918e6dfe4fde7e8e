// The workers that a master waits for before it orders rooms, because these workers may have
// unknown rooms with seats.
//
// - After the master's start, all workers: they must connect first.
// - Workers with a link to another master but not to this master, until `join_grace` after the
//   start of this master.
// - Workers that went down together with most others. A single worker that goes down has most
//   likely died. If most workers go down, this master or its network has failed: the workers and
//   their rooms still exist. A room ordered from the first worker that returns would be a
//   duplicate.
// - Workers with a link that have not shown their state yet. Silent links are closed.
//
// This class also remembers worker runs that a holder awaited in vain.
//
// Thread rule: a value, one owner. Bounds: O(workers); at most `most_given_up` runs that were given
// up. Beyond this bound, all of these runs are forgotten, and awaited again. Errors: none.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "common/base/ids.hpp"
#include "common/base/time.hpp"
#include "master/core/hold/hold_events.hpp"

namespace fixkeep::master {

class AwaitedWorkers {
 public:
  static constexpr std::size_t most_given_up = 1024;

  // Times to wait; see MasterOptions.
  struct Patience {
    Duration after_start{};  // wait for all workers; 0: no wait
    Duration join_grace{};   // wait, from the start, for workers that other masters name
    Duration worker_reply{};
  };

  AwaitedWorkers(const Patience& patience, TimePoint started);

  // Call if another master has a link to the worker, but this master has no link.
  void named_by_peer(const WorkerId& worker, TimePoint now);
  // Call when the worker has connected. It must then show its state within `patience`.
  void connected(const WorkerRun& run, Duration patience, TimePoint now);
  // Call if this master was held up for `late` and must still read the messages of that time.
  // `linked_late`: the extra time for workers with a link, because these workers may have been held
  // up too.
  void held_up(Duration late, Duration linked_late);
  // Call when the worker has shown its state.
  void introduced(const WorkerId& worker);
  // Call when a worker that had shown its state went down. `linked`: how many workers had a link
  // before, this worker included.
  void went_down(const WorkerId& worker, std::size_t linked, TimePoint now);
  // Call when the worker has lost its link.
  void disconnected(const WorkerId& worker) { silent_.erase(worker); }
  void time_passed(TimePoint now);

  // any() returns whether a worker without a link is awaited. ends() returns the latest possible
  // end of each wait.
  [[nodiscard]] bool any() const { return anybody_until_ || !expected_.empty(); }
  [[nodiscard]] std::vector<TimePoint> ends() const;
  // Returns whether all workers are awaited, just after the start.
  [[nodiscard]] bool just_started() const { return anybody_until_.has_value(); }
  // Returns the linked workers that have not shown their state in time.
  [[nodiscard]] std::vector<WorkerId> silent(TimePoint now) const;
  [[nodiscard]] TimePoint next_tick() const;  // TimePoint::max(): no tick is needed

  // Gives up runs. A run that connects later is no longer given up.
  void give_up(const std::set<WorkerRun>& runs);
  [[nodiscard]] bool given_up(const WorkerRun& run) const { return given_up_.contains(run); }

 private:
  Patience patience_;
  TimePoint started_;
  std::optional<TimePoint> anybody_until_;
  std::map<WorkerId, TimePoint> expected_;       // end of each wait
  std::map<WorkerId, TimePoint> recently_down_;  // until when the worker counts as recently down
  std::map<WorkerId, TimePoint> silent_;         // deadline for the state of a linked worker
  std::set<WorkerRun> given_up_;
};

}  // namespace fixkeep::master
