// The earlier runs of each worker that this master has seen.
//
// A room names the run (incarnation) of its worker. Runs are random numbers: an unknown run in a
// room id may have ended or may still come. A master knows that a run has ended if the run was
// connected and another run of the same worker connected after it.
//
// Thread rule: a value, one owner. Bounds: at most `most_runs` runs per worker, and `most_workers`
// workers. The oldest run is forgotten first. A forgotten run counts as unknown again, never as
// ended.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <iterator>
#include <map>

#include "common/base/ids.hpp"

namespace fixkeep::master {

class WorkerRuns {
 public:
  static constexpr std::size_t most_runs = 8;
  static constexpr std::size_t most_workers = 1024;

  // The worker has connected. A run that returns was only out of reach: it has not ended.
  void connected(const WorkerId& worker, Incarnation run) {
    if (!workers_.contains(worker) && workers_.size() >= most_workers) {
      workers_.erase(std::min_element(workers_.begin(), workers_.end(),
                                      [](const auto& left, const auto& right) {
                                        return left.second.used < right.second.used;
                                      }));
    }
    Runs& runs = workers_[worker];
    runs.used = ++uses_;
    std::erase(runs.seen, run);
    runs.seen.push_back(run);
    if (runs.seen.size() > most_runs) runs.seen.pop_front();
  }

  [[nodiscard]] bool over(const WorkerId& worker, Incarnation run) const {
    const auto at = workers_.find(worker);
    if (at == workers_.end()) return false;
    const std::deque<Incarnation>& seen = at->second.seen;
    return std::find(seen.begin(), std::prev(seen.end()), run) != std::prev(seen.end());
  }

 private:
  struct Runs {
    std::deque<Incarnation> seen;  // never empty; last: the present or latest run
    std::uint64_t used = 0;
  };
  std::map<WorkerId, Runs> workers_;
  std::uint64_t uses_ = 0;
};

}  // namespace fixkeep::master
