#include "master/http/match/capacity.hpp"

namespace fixkeep::master {

CapacityLack capacity_lack(const Directory& directory, const ModeName& mode) {
  if (directory.workers().empty()) return CapacityLack::no_worker;
  auto lack = CapacityLack::mode_unknown;
  for (const auto& [id, worker] : directory.workers()) {
    if (!worker.modes.contains(mode)) continue;
    if (worker.headroom > 0) return CapacityLack::workers_slow;
    lack = CapacityLack::workers_full;
  }
  return lack;
}

std::string_view to_string(CapacityLack lack) {
  switch (lack) {
    case CapacityLack::no_worker: return "no-worker";
    case CapacityLack::mode_unknown: return "mode-unknown-to-workers";
    case CapacityLack::workers_full: return "workers-full";
    case CapacityLack::workers_slow: return "workers-slow";
  }
  return "";
}

std::string_view detail_of(CapacityLack lack) {
  switch (lack) {
    case CapacityLack::no_worker:
      return "no worker is connected to this master; see GET /v1/workers, and the workers' logs";
    case CapacityLack::mode_unknown:
      return "none of the connected workers runs this mode; its name has to stand in the modes of "
             "a worker's configuration";
    case CapacityLack::workers_full:
      return "every room of the group is full and every worker that runs the mode is at its limit; "
             "retry later";
    case CapacityLack::workers_slow:
      return "a worker has room for another one by now, but did not start it in time; retry";
  }
  return "";
}

}  // namespace fixkeep::master
