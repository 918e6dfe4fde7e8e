#include "tests/sim/lineup_judge.hpp"

#include <utility>
#include <variant>

#include "master/core/directory/teams.hpp"
#include "tests/sim/violation.hpp"

namespace fixkeep::sim {

void LineupJudge::hear(const WorkerNode& worker, RoomNumber room,
                       const std::optional<wire::MatchFacts>& match) {
  judged_.erase(worker.node);
  Lineup& lineup = heard_[{worker.id, worker.incarnation, room}];
  lineup.clear();
  if (!match) return;
  for (const wire::MatchPlayer& each : match->players) lineup[each.player] = each.team;
}

void LineupJudge::worker_stepped(const WorkerNode& worker, const worker::Actions& actions) {
  for (const worker::Action& action : actions) {
    if (const auto* start = std::get_if<worker::StartProcess>(&action)) {
      hear(worker, start->room, start->match);
    } else if (const auto* adopted = std::get_if<worker::AdoptProcess>(&action)) {
      hear(worker, adopted->as.room, adopted->as.match);
    } else if (const auto* given = std::get_if<worker::RoomGiven>(&action)) {
      hear(worker, given->room, given->match);
    } else if (const auto* told = std::get_if<worker::TellMatch>(&action)) {
      hear(worker, told->room, told->match);
    }
  }
}

LineupJudge::Lineup LineupJudge::seated_in(const wire::RoomInfo& room) const {
  Lineup lineup;
  for (std::size_t i = 0; i < room.brought.size(); ++i) {
    if (room.brought[i].empty()) continue;
    const auto brings = master::plan::parse_brings(room.brought[i], *options_.rules);
    const bool has_team = brings && options_.rules->teams;
    lineup[room.players[i]] = has_team ? master::team_name(brings->team) : "";
  }
  return lineup;
}

void LineupJudge::worker_batch_ended(const WorkerNode& worker) {
  if (std::exchange(judged_[worker.node], worker.changes) == worker.changes) return;
  for (const wire::RoomInfo& room : worker.rooms) {
    if (room.phase == wire::RoomPhase::closed || wire::is_warm_pool(room.group)) continue;
    const auto heard = heard_.find({worker.id, worker.incarnation, room.number});
    if (heard != heard_.end() && heard->second == seated_in(room)) continue;
    throw Violation::safety(worker.id.text() + " #" + std::to_string(room.number.number()) +
                            ": the game has heard of other players or teams than those with seats");
  }
}

void LineupJudge::answered(const master::Seated& seated) const {
  const auto game = heard_.find(seated.room);
  if (game == heard_.end()) return;
  for (std::size_t i = 0; i < seated.players.size(); ++i) {
    const PlayerId& player = seated.players[i];
    const std::string team{seated.team(i)};
    const auto heard = game->second.find(player);
    // The master may not know the team yet.
    if (team.empty() || heard == game->second.end() || heard->second == team) continue;
    throw Violation::safety(player.text() + " hears team \"" + team + "\", but its game team \"" +
                            heard->second + '"');
  }
}

}  // namespace fixkeep::sim
