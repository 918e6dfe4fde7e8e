// Judges runs in which machines are busy and nothing fails: load is not a fault.
//
// However late nodes and games are, nobody may be taken for dead or broken: no link ends, no worker
// is left out by a master, and no game is ended for anything but having no players. So no room goes
// out of sight, and none is ordered in its place; that there are exactly as many as are needed is
// judged at the end (Options::counts_rooms), with all else that always holds.
// Where machines are busy and nodes fail as well, one thing of it still holds: a master gives up no
// worker that has been awake for long enough to answer and whose link to it is sound, since such a
// one is late at most (is_due()).
// Checks::left_out and Checks::patience switch it off, to see what comes of a breach.
// Thread rule: one owner. Errors: Violation. Bounds: none.
#pragma once

#include <set>
#include <utility>

#include "tests/sim/cluster.hpp"
#include "tests/sim/options.hpp"
#include "tests/sim/scheduler.hpp"

namespace fixkeep::sim {

class BusyJudge {
 public:
  // All outlive the object.
  BusyJudge(const Options& options, const Scheduler& scheduler, Cluster*& cluster)
      : options_(options), scheduler_(scheduler), cluster_(cluster) {}

  void master_takes(const MasterNode& master, const master::Event& event) const;
  void master_stepped(const MasterNode& master, const master::Actions& actions);
  void worker_stepped(const WorkerNode& worker, const worker::Actions& actions) const;

 private:
  [[nodiscard]] bool is_due(const MasterNode& master, const master::CloseWorkerLink& close) const;
  void judge_close(const MasterNode& master, const master::CloseWorkerLink& close) const;

  const Options& options_;
  const Scheduler& scheduler_;
  Cluster*& cluster_;
  std::set<std::pair<MasterId, WorkerId>> left_out_;  // by that master, at some time
};

}  // namespace fixkeep::sim
