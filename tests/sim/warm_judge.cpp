#include "tests/sim/warm_judge.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tests/sim/violation.hpp"

namespace fixkeep::sim {

void WarmJudge::rooms_changed(const WorkerNode& worker, const std::vector<wire::RoomInfo>& rooms) {
  std::map<RoomNumber, Known>& known = rooms_[worker.node];
  std::map<RoomNumber, Known> present;
  for (const wire::RoomInfo& room : rooms) {
    const auto before = known.find(room.number);
    if (before != known.end() && before->second.group != room.group &&
        (!wire::is_warm_pool(before->second.group) || wire::is_warm_pool(room.group))) {
      throw Violation::safety(fmt::format("{} #{} goes from {} to {}", worker.id.text(),
                                          room.number.number(), before->second.group.text(),
                                          room.group.text()));
    }
    const SimTime born = before == known.end() ? scheduler_.now() : before->second.born;
    present[room.number] = {room.group, room.mode, room.phase, room.creation.token, born};
  }
  known = std::move(present);
  note_rooms_in_use();
}

void WarmJudge::worker_crashed(const WorkerNode& worker) {
  rooms_[worker.node].clear();
  note_rooms_in_use();
}

void WarmJudge::note_rooms_in_use() {
  std::map<ModeName, std::size_t> count;
  for (std::uint32_t number = 0; number < options_.warm_modes; ++number) {
    count[options_.mode(number)] = 0;
  }
  for (const auto& [node, rooms] : rooms_) {
    for (const auto& [number, room] : rooms) {
      const auto mode = count.find(room.mode);
      if (mode != count.end() && !wire::is_warm_pool(room.group)) ++mode->second;
    }
  }
  for (const auto& [mode, rooms] : count) {
    auto& history = in_use_[mode];
    if (history.empty() || history.back().second != rooms) {
      history.emplace_back(scheduler_.now(), rooms);
    }
  }
}

// The news of a link that has just broken may be missing for as long as nobody notices, and those
// of a master that sleeps until it wakes.
Duration WarmJudge::belief() const {
  const Duration news =
      options_.network.delay_most * 2 + Duration{5'000} + options_.busy.longest_lag();
  if (!options_.faults.any()) return news;
  return news + options_.network.slow_most * 2 + options_.network.heartbeat_timeout * 2 +
         options_.faults.longest_nap() + Duration{15'000'000};
}

std::uint32_t WarmJudge::most_wanted(const ModeName& mode, SimTime from) const {
  std::uint32_t most = options_.warm.wanted(0);
  const auto history = in_use_.find(mode);
  if (history == in_use_.end()) return most;
  for (auto at = history->second.rbegin(); at != history->second.rend(); ++at) {
    most = std::max(most, options_.warm.wanted(at->second));
    if (at->first <= from) break;
  }
  return most;
}

void WarmJudge::made(const worker::StartProcess& start, SimTime granted_at,
                     const std::set<WorkerId>& apart) {
  if (options_.strategy == "none") return;
  const MasterNode& orderer = cluster_->master(start.creation.token.master);
  const Duration news = options_.network.delay_most * 2 + options_.network.slow_most * 2 +
                        options_.busy.longest_lag();
  std::size_t there = 0;
  for (const auto& [node, rooms] : rooms_) {
    const WorkerNode& at = cluster_->worker_at(node);
    const SimTime sound = cluster_->network().sound_since(orderer.node, at.node);
    if (sound == never || sound + news > granted_at || !at.inbox.responsive()) continue;
    if (apart.contains(at.id)) continue;
    there +=
        static_cast<std::size_t>(std::count_if(rooms.begin(), rooms.end(), [&](const auto& room) {
          const bool since = room.second.born > granted_at;
          const bool of_another = room.second.token != start.creation.token;
          if (!options_.exclusive() && since && of_another) return false;
          return room.second.group == start.group;
        }));
  }
  const std::uint32_t most = most_wanted(start.mode, granted_at - belief());
  if (there <= most) return;
  throw Violation::safety(
      fmt::format("room #{} by order {} makes {} rooms of {}, where {} are wanted",
                  start.room.number(), to_string(start.creation), there, start.group.text(), most));
}

void WarmJudge::judge_end() const {
  for (std::uint32_t number = 0; number < options_.warm_modes; ++number) {
    const ModeName mode = options_.mode(number);
    const GroupKey pool = wire::warm_pool_of(mode, options_.capacity);
    std::size_t open = 0;
    std::size_t starting = 0;
    for (const auto& [node, rooms] : rooms_) {
      for (const auto& [room_number, room] : rooms) {
        if (room.group != pool) continue;
        ++(room.phase == wire::RoomPhase::open ? open : starting);
      }
    }
    const auto history = in_use_.find(mode);
    const std::uint32_t wanted =
        options_.warm.wanted(history == in_use_.end() ? 0 : history->second.back().second);
    // Where rooms are scarce players go first.
    const bool right = options_.ample() ? open == wanted && starting == 0 : open <= wanted;
    if (right) continue;
    throw Violation::liveness(fmt::format("{} has {} open rooms and {} that start, not {} open",
                                          pool.text(), open, starting, wanted));
  }
}

}  // namespace fixkeep::sim
