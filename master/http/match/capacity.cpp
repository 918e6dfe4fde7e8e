#include "master/http/match/capacity.hpp"

#include <algorithm>

namespace fixkeep::master {

CapacityLack capacity_lack(const Directory& directory, const ModeName& mode) {
  if (directory.workers().empty()) return CapacityLack::no_worker;
  auto lack = CapacityLack::mode_unknown;
  for (const auto& [id, worker] : directory.workers()) {
    if (!worker.modes.contains(mode)) continue;
    const auto paused = worker.paused.find(mode);
    auto its = worker.headroom > 0 ? CapacityLack::workers_slow : CapacityLack::workers_full;
    if (paused != worker.paused.end()) {
      const bool failing = paused->second.cause == wire::PauseCause::failing;
      its = failing ? CapacityLack::mode_failing : CapacityLack::mode_drained;
    }
    lack = std::max(lack, its);
  }
  return lack;
}

namespace {

// `reason_of` returns a worker's reason, or an empty text.
std::string by_worker(const Directory& directory, auto reason_of) {
  constexpr int most = 3;
  std::string text;
  int told = 0;
  for (const auto& [id, worker] : directory.workers()) {
    const std::string reason = reason_of(worker);
    if (reason.empty()) continue;
    if (told++ == most) return text + "; and more";
    text += (text.empty() ? "" : "; ") + id.text() + ": " + reason;
  }
  return text;
}

}  // namespace

std::string failures_of(const Directory& directory, const ModeName& mode) {
  return by_worker(directory, [&](const Worker& worker) {
    const auto failure = worker.last_failure.find(mode);
    return failure == worker.last_failure.end() ? std::string{} : failure->second;
  });
}

std::string not_ready_of(const Directory& directory, const ModeName& mode) {
  return by_worker(directory, [&](const Worker& worker) {
    const auto slow = worker.slow.find(mode);
    return slow == worker.slow.end() ? std::string{} : slow->second.reason;
  });
}

std::string_view to_string(CapacityLack lack) {
  switch (lack) {
    case CapacityLack::no_worker: return "no-worker";
    case CapacityLack::mode_unknown: return "mode-unknown-to-workers";
    case CapacityLack::mode_drained: return "mode-drained";
    case CapacityLack::mode_failing: return "mode-failing";
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
      return "no connected worker runs this mode; add it to games in a worker's configuration";
    case CapacityLack::mode_drained:
      return "every worker that runs this mode was told to start no more rooms of it; an operator "
             "can resume it there";
    case CapacityLack::mode_failing:
      return "the games of this mode fail to boot, or their runner takes no rooms; its workers "
             "wait before they try again";
    case CapacityLack::workers_full:
      return "every room of the group is full and every worker that runs the mode is at its limit; "
             "retry later";
    case CapacityLack::workers_slow:
      return "a worker has room for another one by now, but did not start it in time; retry";
  }
  return "";
}

}  // namespace fixkeep::master
