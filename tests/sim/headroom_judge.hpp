// Judges that no request waits for a room while there is headroom for one.
//
// Once the faults are over: a request that a master has read, and whose player has a seat nowhere
// in its group, does not wait for longer than `awake` while one and the same worker that knows its
// mode has headroom. A group that sleeps on until something else wakes it is found that way.
// Thread rule: one owner. Errors: Violation.
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "tests/sim/cluster.hpp"

namespace fixkeep::sim {

struct Pending {
  MasterId master;
  Incarnation run;
  TicketId ticket;
  SimTime read_at{};
  GroupKey group;
  PlayerId player;
};

class HeadroomJudge {
 public:
  HeadroomJudge(const Options& options, Cluster*& cluster) : options_(options), cluster_(cluster) {}

  void faults_are_over(SimTime now) { calm_since_ = now; }
  void worker_stepped(const WorkerNode& worker, SimTime now);
  void worker_crashed(const WorkerNode& worker) { free_since_.erase(worker.id); }
  void check(const std::vector<Pending>& pending, SimTime now);

 private:
  [[nodiscard]] bool has_seat(const Pending& each) const;

  const Options& options_;
  Cluster*& cluster_;
  SimTime calm_since_ = never;
  std::map<WorkerId, SimTime> free_since_;                         // workers with headroom
  std::map<std::pair<Incarnation, TicketId>, SimTime> seated_at_;  // when it was last seen to be
};

}  // namespace fixkeep::sim
