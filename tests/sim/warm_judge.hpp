// What must hold of warm rooms.
//
// - A room leaves its pool once, for a group of players, and then stays in that group.
// - When a worker makes a room for a pool, there are not more rooms of the pool than were wanted at
//   some moment since shortly before the order's lock was granted. Rooms on workers that the
//   orderer had no unbroken, prompt link to the whole time do not count: its fence missed them. Nor
//   do those that another holder has had made since, where the lock allows one in a split mesh.
// - In the end each pool has exactly as many rooms as are wanted, and all are open.
//
// What is wanted depends on the rooms that have a group, of which masters know by news; so the
// greatest number of them counts that there was within `belief` before the grant. Thread rule: one
// owner. Errors: Violation. Bounds: none, for short runs.
#pragma once

#include <map>
#include <set>
#include <utility>
#include <vector>

#include "tests/sim/cluster.hpp"

namespace fixkeep::sim {

class WarmJudge {
 public:
  // All outlive the object.
  WarmJudge(const Options& options, Scheduler& scheduler, Cluster*& cluster)
      : options_(options), scheduler_(scheduler), cluster_(cluster) {}

  // After the step of a worker that changed its rooms, before anything is judged of it.
  void rooms_changed(const WorkerNode& worker, const std::vector<wire::RoomInfo>& rooms);
  void worker_crashed(const WorkerNode& worker);
  // A room of a pool, ordered under a lock that was granted at `granted_at`, where the orderer had
  // left out the workers in `apart`.
  void made(const worker::StartProcess& start, SimTime granted_at, const std::set<WorkerId>& apart);
  void judge_end() const;

 private:
  struct Known {
    GroupKey group;
    ModeName mode;
    wire::RoomPhase phase = wire::RoomPhase::starting;
    FencingToken token;  // of the order that made it
    SimTime born{};
  };

  void note_rooms_in_use();
  [[nodiscard]] std::uint32_t most_wanted(const ModeName& mode, SimTime from) const;
  [[nodiscard]] Duration belief() const;

  const Options& options_;
  Scheduler& scheduler_;
  Cluster*& cluster_;
  std::map<NodeIndex, std::map<RoomNumber, Known>> rooms_;  // of workers
  std::map<ModeName, std::vector<std::pair<SimTime, std::size_t>>>
      in_use_;  // from when on, how many
};

}  // namespace fixkeep::sim
