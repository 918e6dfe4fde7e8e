// Services that made matches elsewhere: they ask any master for the room of an id, ask again at
// others, sometimes with another body, and let players join and leave late.
//
// A match has one room as long as nothing but masters fails. All answers name it, and only for the
// body with which it was made. Its worker keeps the list of its players over its own restart.
// Thread rule: one owner. Errors: Violation.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "common/base/random.hpp"
#include "tests/sim/cluster.hpp"
#include "tests/sim/options.hpp"
#include "tests/sim/scheduler.hpp"

namespace fixkeep::sim {

class Matches {
 public:
  Matches(const Options& options, Scheduler& scheduler, Cluster*& cluster);

  void start();
  void ask_once_more();  // call when the faults are over
  void master_stepped(const MasterNode& master, const master::Actions& actions);
  void worker_stepped(const WorkerNode& worker, const worker::Actions& actions);
  void worker_crashed(const WorkerNode& worker);
  // Each returns false if the ticket is of somebody else.
  bool seated(const MasterNode& master, const master::Seated& seated);
  bool refused(const MasterNode& master, const master::Refused& refused);
  [[nodiscard]] bool at_rest() const;  // no request is under way or waits
  void judge_end() const;

  [[nodiscard]] std::size_t count() const { return matches_.size(); }
  [[nodiscard]] std::size_t answered() const { return answered_; }

 private:
  struct Match {
    GroupKey group;
    std::vector<wire::MatchFacts> bodies;  // the second one differs
    std::optional<RoomId> room;            // of the last answer
    std::size_t opened = 0;                // its rooms that have opened
    std::size_t newcomers = 0;             // players that wanted to join late
  };
  struct Asked {
    std::size_t match = 0;
    wire::MatchFacts facts;
    SimTime at{};
    bool answered = false;
  };
  struct Kept {  // what a worker has to know of a room
    wire::MatchFacts facts;
    // The journal of a worker that dies may lack the facts of its last batch.
    wire::MatchFacts before;
    bool opened = false;
  };
  using RoomKey = std::pair<NodeIndex, RoomNumber>;

  void ask(std::size_t match, int more);
  void ask_after(Duration time, std::size_t match, int more);
  void join(std::size_t match);
  void leave(std::size_t match);
  void send(std::size_t match, const wire::MatchFacts& facts, std::optional<RoomId> room);
  // What a room's list says now, and what it said before.
  void note_list(const wire::MatchFacts& now, const wire::MatchFacts& before);
  void judge_players(const Asked& asked, const master::Seated& seated, const std::string& name);
  void note_room(const WorkerNode& worker, RoomNumber room, const GroupKey& group,
                 const wire::MatchFacts& match);
  [[nodiscard]] const wire::RoomInfo* alive(const RoomId& room) const;
  [[nodiscard]] MasterNode* any_master();
  [[nodiscard]] bool one_room_each() const;
  [[nodiscard]] bool runs(Incarnation master) const;

  const Options& options_;
  Scheduler& scheduler_;
  Cluster*& cluster_;
  Random random_;
  std::vector<Match> matches_;
  std::map<std::pair<Incarnation, TicketId>, Asked> asked_;
  std::map<std::pair<Incarnation, TicketId>, std::pair<RoomId, PlayerId>> leaving_;
  std::map<RoomKey, Kept> kept_;
  std::map<PlayerId, SimTime> left_;  // players whose leave was answered
  std::set<PlayerId> ever_left_;      // players that a worker took off a list
  std::size_t answered_ = 0;
  std::size_t under_way_ = 0;  // requests that will be sent or have not arrived
};

}  // namespace fixkeep::sim
