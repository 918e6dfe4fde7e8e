// The workers that a master waits for before it orders rooms: they may have unknown rooms with
// seats.
//
// - After its start all of them: each has yet to find out that the master is there.
// - Workers that other masters have a link to, for as long as a start may take.
// - Workers that went down together with most others. A single worker that goes has most likely
//   died. When most go, this master or its network was away. The workers and their rooms are still
//   there. A room ordered from the first worker that is back is a duplicate.
// - Workers with a link that have not told their state. They are there. A silent link is closed.
//
// It also remembers worker runs that a holder awaited in vain.
//
// Thread rule: a value, one owner. Bounds: O(workers); most_given_up runs. Beyond them all are
// forgotten and awaited anew. Errors: none.
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

  // Lengths of time; see MasterOptions.
  struct Patience {
    Duration after_start{};  // wait for all workers; 0: no wait
    Duration join_grace{};   // wait, from the start, for workers that other masters name
    Duration worker_reply{};
  };

  AwaitedWorkers(const Patience& patience, TimePoint started);

  // Another master has a link to the worker. This one has no link.
  void named_by_peer(const WorkerId& worker, TimePoint now);
  // It is to tell its state within `patience`.
  void connected(const WorkerRun& run, Duration patience, TimePoint now);
  // This master was not there for so long: what workers told meanwhile has yet to be read.
  // `linked_late`: workers with a link may have been held up themselves and get this instead.
  void held_up(Duration late, Duration linked_late);
  // The worker has told its state.
  void introduced(const WorkerId& worker);
  // An introduced worker went down. `linked`: workers with a link before that, itself included.
  void went_down(const WorkerId& worker, std::size_t linked, TimePoint now);
  // The worker has no link any more.
  void disconnected(const WorkerId& worker) { silent_.erase(worker); }
  void time_passed(TimePoint now);

  // Whether a worker without a link is waited for. ends(): the latest end of each wait.
  [[nodiscard]] bool any() const { return anybody_until_ || !expected_.empty(); }
  [[nodiscard]] std::vector<TimePoint> ends() const;
  // Whether all workers are because the start was just now.
  [[nodiscard]] bool just_started() const { return anybody_until_.has_value(); }
  // Workers that have had a link for too long without telling their state.
  [[nodiscard]] std::vector<WorkerId> silent(TimePoint now) const;
  [[nodiscard]] TimePoint next_tick() const;  // TimePoint::max() if there is nothing

  // A run that connects after all is not given up any more.
  void give_up(const std::set<WorkerRun>& runs);
  [[nodiscard]] bool given_up(const WorkerRun& run) const { return given_up_.contains(run); }

 private:
  Patience patience_;
  TimePoint started_;
  std::optional<TimePoint> anybody_until_;
  std::map<WorkerId, TimePoint> expected_;       // waited for until then
  std::map<WorkerId, TimePoint> recently_down_;  // counts as recent until then
  std::map<WorkerId, TimePoint> silent_;         // linked, and not introduced; too long after that
  std::set<WorkerRun> given_up_;
};

}  // namespace fixkeep::master
