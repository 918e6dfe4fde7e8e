// Judges what becomes of the results that games say (worker/core/results.hpp).
//
// - After the answer "kept" a room has no other result, even if its game says one to a later run of
//   the worker.
// - A run of a master hears a room's result once. All masters hear the same result.
// - A run of a master hears the end of a match once. All masters hear the same end.
// - At the end, every master knows each "kept" result and each end that any master has heard, if
//   the worker's machine is not lost.
//
// Thread rule: one owner. Bounds: the rooms of a run. Errors: Violation.
#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>

#include "tests/sim/cluster.hpp"

namespace fixkeep::sim {

class ResultJudge {
 public:
  // The arguments outlive the object.
  explicit ResultJudge(Cluster*& cluster) : cluster_(cluster) {}

  void worker_takes(const WorkerNode& worker, const worker::Event& event);
  void answered(const WorkerNode& worker, const worker::AnswerResult& answer);
  void master_stepped(const MasterNode& master, const master::Actions& actions);
  void judge_end() const;

 private:
  struct Truth {
    std::string value;
    bool answered = false;
  };
  void hear(const MasterNode& master, const master::MatchOver& over);
  void counts(const RoomId& room, const std::string& value, bool answered);

  Cluster*& cluster_;
  std::map<std::pair<WorkerId, std::uint64_t>, std::pair<RoomId, std::string>> asked_;
  std::map<RoomId, Truth> results_;
  std::map<std::pair<Incarnation, RoomId>, std::string> heard_;  // by the run of a master
  std::map<RoomId, std::string> ends_;  // ended matches, with their results
  std::set<std::pair<Incarnation, RoomId>> ends_heard_;
};

}  // namespace fixkeep::sim
