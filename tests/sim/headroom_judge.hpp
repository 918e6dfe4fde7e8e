// Judges that no request waits for a room while there is headroom for one.
//
// Once the faults are over: a request that a master has read does not wait for longer than `awake`
// while one and the same worker starts rooms of its mode and has headroom, unless it waits for its
// own players: one of them has a seat in the mode, or an earlier request there that waits as well
// (and is judged itself). A group that sleeps on until something else wakes it is found that way.
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
  std::vector<PlayerId> players;
};

class HeadroomJudge {
 public:
  HeadroomJudge(const Options& options, Cluster*& cluster) : options_(options), cluster_(cluster) {}

  void faults_are_over(SimTime now) { calm_since_ = now; }
  void worker_stepped(const WorkerNode& worker, SimTime now);
  void worker_crashed(const WorkerNode& worker);
  void check(const std::vector<Pending>& pending, SimTime now);

 private:
  [[nodiscard]] bool has_seat(const Pending& each) const;
  [[nodiscard]] bool is_paused(const GroupKey& group) const;
  [[nodiscard]] bool is_behind(const Pending& each, const std::vector<Pending>& pending) const;

  const Options& options_;
  Cluster*& cluster_;
  SimTime calm_since_ = never;
  // Workers with headroom, and the modes of which they start rooms.
  std::map<std::pair<NodeIndex, ModeName>, SimTime> free_since_;
  // When it was last seen to wait for its players.
  std::map<std::pair<Incarnation, TicketId>, SimTime> excused_at_;
};

}  // namespace fixkeep::sim
