#include "tests/sim/newcomer_judge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "master/rules/plan/brings.hpp"
#include "tests/sim/violation.hpp"

namespace fixkeep::sim {
namespace {

constexpr Duration time_to_end{2'000'000};

// Whether each player from `at` on finds a want of its list.
bool all_find(const std::vector<std::vector<std::size_t>>& fits, std::size_t at,
              std::vector<std::uint32_t>& left) {
  if (at == fits.size()) return true;
  return std::ranges::any_of(fits[at], [&](std::size_t want) {
    if (left[want] == 0) return false;
    --left[want];
    const bool found = all_find(fits, at + 1, left);
    ++left[want];
    return found;
  });
}

}  // namespace

void NewcomerJudge::worker_takes(const WorkerNode& worker, const worker::Event& event) {
  const auto* const decided = std::get_if<worker::NewcomersDecided>(&event);
  if (decided == nullptr) return;
  judged_.erase(worker.node);
  Truth& truth = rooms_[{worker.id, worker.incarnation, decided->room}];
  if (decided->wants) {
    truth.wants_anew = truth.wants_anew || *decided->wants != truth.wants;
    truth.wants = *decided->wants;
    return;
  }
  truth.heard = decided->word;
  truth.opened = truth.opened || decided->word == NewcomersWord::open;
}

void NewcomerJudge::worker_killed(const WorkerNode& worker) {
  for (auto& [id, truth] : rooms_) {
    if (id.worker == worker.id) truth.heard = truth.written;
    if (id.worker == worker.id) truth.wants = truth.wants_written;
    if (id.worker == worker.id) truth.opened = false;
    if (id.worker == worker.id) truth.over_since = never;
    if (id.worker == worker.id) truth.stage = RoomStage::gathering;  // once
  }
}

void NewcomerJudge::worker_batch_ended(const WorkerNode& worker) {
  if (std::exchange(judged_[worker.node], worker.changes) == worker.changes) return;
  for (const wire::RoomInfo& room : worker.rooms) {
    Truth& truth = rooms_[{worker.id, worker.incarnation, room.number}];
    if (truth.group != room.group) truth.was_full = false;  // a warm room was given to a group
    if (truth.group != room.group) truth.stage = RoomStage::gathering;
    truth.wants_anew = truth.wants_anew || truth.group != room.group;
    truth.group = room.group;
    if (!room.match) judge(worker, room, truth);
  }
}

void NewcomerJudge::judge(const WorkerNode& worker, const wire::RoomInfo& room, Truth& truth) {
  const std::string name =
      fmt::format("{} #{} of {}", worker.id.text(), room.number.number(), room.group.text());
  truth.written = truth.heard;
  truth.was_full = truth.was_full || room.players.size() == room.capacity;
  const bool wants = judge_wants(name, room, truth);
  const bool by_rule = options_.newcomers == Newcomers::never && truth.was_full &&
                       truth.heard == NewcomersWord::none && !wire::is_warm_pool(room.group);
  const bool refuses = room.stage == RoomStage::no_newcomers;
  if (!wants && (by_rule || truth.heard == NewcomersWord::closed) && !refuses) {
    throw Violation::safety(name + " takes newcomers again");
  }
  if (!wants && refuses && truth.heard == NewcomersWord::open) {
    throw Violation::safety(name + " takes no newcomers though its game has opened it");
  }
  const std::string life =
      fmt::format("{}/{}/{}", name, worker.incarnation.number(), worker.starts.life);
  const bool opened = std::exchange(truth.opened, false);
  if (const auto newcomer = watch_.look(life, room); newcomer && !opened && !wants) {
    throw Violation::safety(name + " takes no newcomers, but takes " + newcomer->text());
  }
  judge_backfill(name, room, truth);
  const bool played = room.phase == wire::RoomPhase::open && !room.players.empty();
  if (played && truth.first == never) truth.first = scheduler_.now();
  const bool over = refuses && room.players.empty() && options_.newcomers != Newcomers::always &&
                    !wire::is_warm_pool(room.group) && room.phase != wire::RoomPhase::closed;
  if (!over) truth.over_since = never;
  if (over && truth.over_since == never) truth.over_since = scheduler_.now();
}

// Returns whether the game wants certain players. Players who came since then need a want each.
bool NewcomerJudge::judge_wants(const std::string& name, const wire::RoomInfo& room,
                                Truth& truth) const {
  const std::set<PlayerId> players{room.players.begin(), room.players.end()};
  if (truth.wants_anew) truth.insiders = players;
  std::erase_if(truth.insiders, [&](const PlayerId& each) { return !players.contains(each); });
  truth.opened = truth.opened || std::exchange(truth.wants_anew, false);
  truth.wants_written = truth.wants;
  std::vector<std::vector<std::size_t>> fits;  // one list for each newcomer
  for (std::size_t i = 0; i < room.players.size(); ++i) {
    if (truth.insiders.contains(room.players[i])) continue;
    auto& own = fits.emplace_back();
    for (std::size_t w = 0; w < truth.wants.size(); ++w) {
      if (is_wanted(truth.wants[w], room, i)) own.push_back(w);
    }
  }
  std::vector<std::uint32_t> left;
  for (const Want& want : truth.wants) left.push_back(want.players);
  if (!truth.wants.empty() && !all_find(fits, 0, left)) {
    throw Violation::safety(name + " takes players that its game does not want");
  }
  return !truth.wants.empty();
}

bool NewcomerJudge::is_wanted(const Want& want, const wire::RoomInfo& room, std::size_t i) const {
  if (want.team.empty() && want.role.empty()) return true;
  const auto brings = master::plan::parse_brings(room.brought.at(i), *options_.rules);
  const bool healer = brings && (brings->roles & 1U) != 0;  // the first role
  return brings && (want.team.empty() || brings->team == 0) && (want.role.empty() || healer);
}

// Another claim of the player, or of a party with the player, may accept running rooms.
void NewcomerJudge::judge_backfill(const std::string& name, const wire::RoomInfo& room,
                                   Truth& truth) const {
  const bool one_claim = options_.rivals == 0 && options_.parties == 0 && options_.follows == 0;
  for (const PlayerId& player : room.players) {
    if (!one_claim || truth.stage == RoomStage::gathering || truth.players.contains(player))
      continue;
    if (options_.refuses_backfill(player)) {
      throw Violation::safety(name + " runs, and takes " + player.text() + " who refuses that");
    }
  }
  truth.stage = room.stage;
  truth.players = {room.players.begin(), room.players.end()};
}

void NewcomerJudge::judge_time(const WorkerNode& worker, const wire::RoomInfo& room,
                               const Truth& truth) const {
  // The clock of a worker stands still while the worker cannot run.
  const bool on_time = options_.faults.worker_pause_mean.count() == 0 &&
                       options_.faults.machine_stall_mean.count() == 0 && !options_.busy.on();
  const bool closes = options_.newcomers_for > Duration{0} && truth.first != never && !room.match &&
                      truth.wants.empty() && truth.heard == NewcomersWord::none &&
                      room.stage != RoomStage::no_newcomers;
  if (!on_time || !closes) return;
  if (scheduler_.now() - truth.first <= options_.newcomers_for + time_to_end) return;
  throw Violation::liveness(
      fmt::format("{} #{} takes newcomers after its time", worker.id.text(), room.number.number()));
}

void NewcomerJudge::time_passed() const {
  for (const auto& worker : cluster_->workers()) {
    if (!worker->inbox.responsive() || !worker->core) continue;
    for (const wire::RoomInfo& room : worker->rooms) {
      const auto truth = rooms_.find({worker->id, worker->incarnation, room.number});
      if (truth == rooms_.end()) continue;
      judge_time(*worker, room, truth->second);
      if (truth->second.over_since == never) continue;
      const SimTime since = std::max(truth->second.over_since, worker->inbox.woke_at());
      if (scheduler_.now() - since <= time_to_end + 2 * options_.busy.longest_lag()) continue;
      throw Violation::liveness(fmt::format("{} #{} waits for players who cannot come",
                                            worker->id.text(), room.number.number()));
    }
  }
}

}  // namespace fixkeep::sim
