// A ghost seat is reserved for a player whom no master has answered with this room. The request of
// the player was seated elsewhere, was refused, or is gone, so the player will not come. Others
// miss the seat until its reservation ends, and the last player of a group gets a room too many.
//
// At rest, when all requests are answered and all links are up again, there are no ghosts. A seat
// is excused if a master that its player had asked, or that had asked for the seat, crashed: only
// that master knew of it. It is excused, too, if it was reserved more often than a worker tells
// apart.
//
// Thread rule: one owner. Bounds: the seats of one run. Errors: none; the caller throws.
#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>

#include "tests/sim/cluster.hpp"

namespace fixkeep::sim {

class GhostJudge {
 public:
  // Both outlive the object.
  GhostJudge(Scheduler& scheduler, Cluster*& cluster) : scheduler_(scheduler), cluster_(cluster) {}

  void master_takes(const MasterNode& master, const master::Event& event);
  void answered(const master::Seated& seated);
  void worker_stepped(const WorkerNode& worker, const worker::Actions& actions);
  void master_crashed(const MasterNode& master);

  // Names the first ghost that was reserved before this time; empty if there is none.
  [[nodiscard]] std::string ghost(SimTime before) const;

 private:
  using Room = std::pair<WorkerId, RoomNumber>;
  using Seat = std::pair<Room, PlayerId>;

  void reserved(const Room& room, const wire::Claim& claim, MasterId by);
  // A link that takes long to come back gives back what was lost when it does.
  [[nodiscard]] bool is_known_to_all(const WorkerNode& worker) const;

  Scheduler& scheduler_;
  Cluster*& cluster_;
  std::set<Seat> answered_;
  struct Reserved {
    SimTime last{};
    std::size_t times = 0;
  };
  std::map<Seat, Reserved> reserved_;
  std::set<Seat> excused_;
  std::map<PlayerId, std::set<MasterId>> asked_;
  std::map<MasterId, SimTime> crashed_at_;  // the last time
};

}  // namespace fixkeep::sim
