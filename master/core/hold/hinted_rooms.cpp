#include "master/core/hold/hinted_rooms.hpp"

#include <algorithm>
#include <utility>

namespace fixkeep::master {
namespace {

WorkerRun run_of(const wire::RoomHint& hint) {
  return {hint.room.worker, hint.room.incarnation};
}

}  // namespace

std::vector<wire::RoomHint> concealed_hints(const std::vector<wire::RoomHint>& newest,
                                            std::vector<wire::RoomHint>&& earlier,
                                            const GroupKey& group, const Directory& directory) {
  std::erase_if(earlier, [&](const wire::RoomHint& hint) {
    const Worker* worker = directory.find(hint.room.worker);
    const bool reachable = worker != nullptr && worker->incarnation == hint.room.incarnation;
    if (hint.free == 0 || !reachable) return true;
    const bool named = std::any_of(newest.begin(), newest.end(), [&](const wire::RoomHint& other) {
      return other.room == hint.room && other.ordered == hint.ordered;
    });
    if (named) return true;
    if (hint.ordered) return directory.has_shown(worker->id, group, *hint.ordered);
    return hint.room.number <= worker->newest_room || directory.find(hint.room) != nullptr;
  });
  return std::move(earlier);
}

std::set<WorkerRun> HintedRooms::merge(std::vector<wire::RoomHint>&& hints, const GroupKey& group,
                                       const AwaitedWorkers& awaited, Directory& directory) {
  std::set<WorkerRun> missing;
  std::vector<wire::RoomHint> ordered;
  for (wire::RoomHint& hint : hints) {
    const WorkerRun run = run_of(hint);
    const Worker* worker = directory.find(run.first);
    if (worker != nullptr && worker->known && worker->incarnation == run.second) {
      if (!hint.ordered) {
        directory.hint(group, hint);
      } else if (!directory.has_shown(run.first, group, *hint.ordered)) {
        ordered.push_back(std::move(hint));
      }
    } else if (!directory.run_over(run.first, run.second) && !awaited.given_up(run)) {
      // The run is missing even if another run of the worker is connected. The link of that other
      // run may be dead, which this master notices only when a heartbeat fails. Other masters may
      // already see the worker's next run.
      missing.insert(run);
      absent_.push_back(std::move(hint));
    }
  }
  ordered_.replace(std::move(ordered));
  return missing;
}

void HintedRooms::arrived(const WorkerRun& run, const GroupKey& group, Directory& directory) {
  std::erase_if(absent_, [&](wire::RoomHint& hint) {
    if (run_of(hint) != run) return false;
    if (!hint.ordered) {
      directory.hint(group, hint);
    } else if (!directory.has_shown(run.first, group, *hint.ordered)) {
      ordered_.add(std::move(hint));
    }
    return true;
  });
}

void HintedRooms::give_up(const std::set<WorkerRun>& runs) {
  std::erase_if(absent_, [&](const wire::RoomHint& hint) { return runs.contains(run_of(hint)); });
}

std::set<WorkerRun> HintedRooms::left(const WorkerId& worker) {
  std::set<WorkerRun> runs;
  for (wire::RoomHint& hint : ordered_.take(worker)) {
    runs.insert(run_of(hint));
    absent_.push_back(std::move(hint));
  }
  return runs;
}

std::vector<wire::RoomHint> HintedRooms::unseen(const Directory& directory) const {
  std::vector<wire::RoomHint> hints = ordered_.hints();
  for (const wire::RoomHint& hint : absent_) {
    const bool over = directory.run_over(hint.room.worker, hint.room.incarnation);
    if (!over) hints.push_back(hint);
  }
  return hints;
}

}  // namespace fixkeep::master
