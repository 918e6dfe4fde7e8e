#include "tests/sim/headroom_judge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "tests/sim/violation.hpp"

namespace fixkeep::sim {
namespace {

// Masters meet again, locks that are held elsewhere run out, and some turns of the lock.
constexpr Duration awake{15'000'000};

bool share_a_player(const std::vector<PlayerId>& some, const std::vector<PlayerId>& others) {
  return std::find_first_of(some.begin(), some.end(), others.begin(), others.end()) != some.end();
}

}  // namespace

void HeadroomJudge::worker_stepped(const WorkerNode& worker, SimTime now) {
  const bool full = worker.core->headroom() == 0;
  const auto paused = worker.core->paused_modes();
  for (const ModeName& mode : options_.worker_config(worker.index).modes) {
    const bool starts_none =
        full || std::any_of(paused.begin(), paused.end(),
                            [&](const wire::PausedMode& each) { return each.mode == mode; });
    if (starts_none) {
      free_since_.erase({worker.node, mode});
    } else {
      free_since_.try_emplace({worker.node, mode}, now);
    }
  }
}

void HeadroomJudge::worker_crashed(const WorkerNode& worker) {
  std::erase_if(free_since_, [&](const auto& entry) { return entry.first.first == worker.node; });
}

bool HeadroomJudge::has_seat(const Pending& each) const {
  for (const auto& worker : cluster_->workers()) {
    if (!worker->core) continue;
    for (const wire::RoomInfo& room : worker->rooms) {
      // Also in another group of the mode: a player has one seat, so the request waits for it.
      if (options_.mode_of(room.group) != options_.mode_of(each.group)) continue;
      if (share_a_player(room.players, each.players)) return true;
    }
  }
  return false;
}

// Claims with a player in common go one after another.
bool HeadroomJudge::is_behind(const Pending& each, const std::vector<Pending>& pending) const {
  return std::any_of(pending.begin(), pending.end(), [&](const Pending& other) {
    return other.run == each.run && other.ticket < each.ticket &&
           options_.mode_of(other.group) == options_.mode_of(each.group) &&
           share_a_player(other.players, each.players);
  });
}

// Its games fail to boot, while others of its mode do not.
bool HeadroomJudge::is_paused(const GroupKey& group) const {
  const auto& workers = cluster_->workers();
  return std::any_of(workers.begin(), workers.end(), [&](const auto& worker) {
    return worker->core && worker->core->pauses(group);
  });
}

void HeadroomJudge::check(const std::vector<Pending>& pending, SimTime now) {
  if (options_.leaves_some()) return;  // headroom is not what they wait for
  if (!options_.checks.sleepers || calm_since_ == never) return;
  for (const Pending& each : pending) {
    SimTime& excused = excused_at_[{each.run, each.ticket}];
    if (has_seat(each) || is_behind(each, pending) || is_paused(each.group)) excused = now;
    const SimTime since = std::max({calm_since_, each.read_at, excused});
    if (now - since < awake) continue;
    for (const auto& worker : cluster_->workers()) {
      const auto free = free_since_.find({worker->node, options_.mode_of(each.group)});
      if (free == free_since_.end() || now - free->second < awake) continue;
      throw Violation::liveness(
          fmt::format("{} t{} of {} waits though {} has had headroom for {} ms",
                      to_string(each.master), each.ticket.number(), each.group.text(),
                      worker->id.text(), (now - free->second).count() / 1'000));
    }
  }
}

}  // namespace fixkeep::sim
