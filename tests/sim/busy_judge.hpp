// Judges runs in which machines are busy and nothing fails: load is not a fault.
//
// However late nodes and games are, nobody may be taken for dead or broken: no link ends, no worker
// is left out by a master, and no game is ended for anything but having no players. So no room goes
// out of sight, and none is ordered in its place; that there are exactly as many as are needed is
// judged at the end (Options::counts_rooms), with all else that always holds. Checks::left_out and
// Checks::patience switch it off, to see what comes of a breach.
// Thread rule: one owner. Errors: Violation. Bounds: none.
#pragma once

#include "tests/sim/nodes.hpp"
#include "tests/sim/options.hpp"

namespace fixkeep::sim {

class BusyJudge {
 public:
  explicit BusyJudge(const Options& options) : options_(options) {}

  void master_takes(const MasterNode& master, const master::Event& event) const;
  void master_stepped(const MasterNode& master, const master::Actions& actions) const;
  void worker_stepped(const WorkerNode& worker, const worker::Actions& actions) const;

 private:
  const Options& options_;
};

}  // namespace fixkeep::sim
