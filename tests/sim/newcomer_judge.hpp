// Judges which rooms take newcomers (common/base/newcomers.hpp), from what games have told their
// workers and from how the rooms were filled.
//
// - A room whose game has closed it takes no newcomers until its game opens it again. A room of a
//   mode that never takes newcomers takes none after it was full once, unless its game opens it.
// - A room whose game wants certain players gives seats to these players alone.
// - A room closes soon after Options::newcomers_for, unless its game has decided.
// - No new player gets a seat in a room that takes no newcomers.
// - A player that accepts no running room gets no seat in one.
// - In a mode that does not always take newcomers, such a room ends soon after it is empty.
//
// All of this also holds for the next run of a worker that was killed. Thread rule: one owner.
// Bounds: the rooms of a run. Errors: Violation.
#pragma once

#include <map>
#include <set>
#include <string>

#include "tests/sim/cluster.hpp"
#include "tests/sim/options.hpp"
#include "tests/support/newcomer_watch.hpp"

namespace fixkeep::sim {

class NewcomerJudge {
 public:
  // All outlive the object.
  NewcomerJudge(const Options& options, Scheduler& scheduler, Cluster*& cluster)
      : options_(options), scheduler_(scheduler), cluster_(cluster) {}

  void worker_takes(const WorkerNode& worker, const worker::Event& event);
  void worker_batch_ended(const WorkerNode& worker);
  void worker_killed(const WorkerNode& worker);  // what it had not written down is lost
  void time_passed() const;

 private:
  struct Truth {
    GroupKey group;
    NewcomersWord heard = NewcomersWord::none;    // in this batch, perhaps
    NewcomersWord written = NewcomersWord::none;  // at the end of the last batch
    bool opened = false;                          // in this batch, perhaps only for a part of it
    bool was_full = false;
    RoomStage stage = RoomStage::gathering;  // at the end of the last batch, as the next two
    std::set<PlayerId> players;
    Wants wants;
    Wants wants_written;
    bool wants_anew = false;      // the game may have said its wants in this batch
    std::set<PlayerId> insiders;  // players who have kept their seats since the game said its wants
    SimTime first = never;        // a player had a seat in the open room
    SimTime over_since = never;   // empty, and takes no newcomers
  };

  void judge_backfill(const std::string& name, const wire::RoomInfo& room, Truth& truth) const;
  bool judge_wants(const std::string& name, const wire::RoomInfo& room, Truth& truth) const;
  [[nodiscard]] bool is_wanted(const Want& want, const wire::RoomInfo& room, std::size_t i) const;
  void judge_time(const WorkerNode& worker, const wire::RoomInfo& room, const Truth& truth) const;
  void judge(const WorkerNode& worker, const wire::RoomInfo& room, Truth& truth);

  const Options& options_;
  Scheduler& scheduler_;
  Cluster*& cluster_;
  std::map<RoomId, Truth> rooms_;
  std::map<NodeIndex, std::uint64_t> judged_;  // changes of rooms; none after a game's decision
  support::NewcomerWatch watch_;
};

}  // namespace fixkeep::sim
