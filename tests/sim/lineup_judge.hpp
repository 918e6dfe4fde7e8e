// Judges what games and players hear about the teams that rules make. After each batch of a worker,
// each of its games has heard exactly the players with seats, each in the team of its seat. An
// answer names the team that the game has heard.
//
// Thread rule: one owner. Bounds: the rooms of a run. Errors: Violation.
#pragma once

#include <map>
#include <string>

#include "tests/sim/cluster.hpp"
#include "tests/sim/options.hpp"

namespace fixkeep::sim {

class LineupJudge {
 public:
  // `options` outlives the object and has rules.
  explicit LineupJudge(const Options& options) : options_(options) {}

  void worker_stepped(const WorkerNode& worker, const worker::Actions& actions);
  void worker_batch_ended(const WorkerNode& worker);
  void answered(const master::Seated& seated) const;

 private:
  using Lineup = std::map<PlayerId, std::string>;  // player -> team

  void hear(const WorkerNode& worker, RoomNumber room,
            const std::optional<wire::MatchFacts>& match);
  [[nodiscard]] Lineup seated_in(const wire::RoomInfo& room) const;

  const Options& options_;
  std::map<RoomId, Lineup> heard_;             // by games
  std::map<NodeIndex, std::uint64_t> judged_;  // changes of rooms; none after a game has heard
};

}  // namespace fixkeep::sim
