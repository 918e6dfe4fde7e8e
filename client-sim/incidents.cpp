#include "client-sim/incidents.hpp"

#include <algorithm>
#include <chrono>
#include <functional>
#include <utility>

#include "client-sim/load/event_reader.hpp"

namespace fixkeep::client_sim {
namespace {

using std::chrono::milliseconds;

void note(std::string&& failure, IncidentLog& log) {
  if (log.failure.empty()) log.failure = std::move(failure);
}

void kill_first_master(Cluster& cluster, IncidentLog& log) {
  auto told = read_events({cluster.admins().front()});
  note(std::move(told.failure), log);
  cluster.kill_master(0);
  if (told.events.empty()) return;
  const auto now = std::chrono::floor<std::chrono::microseconds>(std::chrono::system_clock::now());
  log.ends.push_back({told.events.front().node, now});
  log.events = std::move(told.events);
}

}  // namespace

std::vector<Incident> incidents_of(const FaultOptions& options, Cluster& cluster,
                                   IncidentLog& log) {
  std::vector<Incident> incidents;
  const auto add = [&](std::uint32_t at, std::uint32_t lasts, std::function<void()> begin,
                       std::function<void()> end) {
    if (lasts == 0) return;
    incidents.push_back({milliseconds{at}, std::move(begin)});
    incidents.push_back({milliseconds{at + lasts}, std::move(end)});
  };
  add(
      options.stop_worker_at_ms, options.stop_worker_ms, [&cluster] { cluster.stop_worker(0); },
      [&cluster] { cluster.continue_worker(0); });
  const auto at = options.master_fault_at_ms;
  add(
      at, options.stop_master_ms, [&cluster] { cluster.stop_master(0); },
      [&cluster] { cluster.continue_master(0); });
  add(
      at, options.kill_master_ms, [&] { kill_first_master(cluster, log); },
      [&] { note(cluster.start_master(0), log); });
  add(
      at, options.cut_master_ms, [&] { note(cluster.cut_master(0, true), log); },
      [&] { note(cluster.cut_master(0, false), log); });
  std::stable_sort(incidents.begin(), incidents.end(),
                   [](const Incident& a, const Incident& b) { return a.at < b.at; });
  return incidents;
}

}  // namespace fixkeep::client_sim
