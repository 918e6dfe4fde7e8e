// The outcome of one run, and the information to report it.
//
// Thread rule: values and free functions without state.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "client-sim/cluster/distances.hpp"
#include "client-sim/fault_options.hpp"
#include "client-sim/judge/collision_story.hpp"
#include "client-sim/judge/collisions.hpp"
#include "client-sim/judge/judge.hpp"
#include "client-sim/judge/stages.hpp"
#include "client-sim/judge/timeline.hpp"
#include "client-sim/load/observation.hpp"
#include "client-sim/own_mode.hpp"
#include "common/base/percentiles.hpp"

namespace fixkeep::client_sim {

// Facts about a run from the events of the nodes.
struct Told {
  Timeline timeline;
  StageTimes stages;
  std::optional<CollisionStory> first_collision;
};

struct RunResult {
  std::string lock;
  std::size_t masters = 0;
  std::size_t workers = 0;
  std::size_t players = 0;
  std::size_t groups = 0;
  std::uint32_t capacity = 0;
  std::int64_t boot_ms = -1;           // -1: unknown, the cluster was running already
  std::size_t idle_connections = 0;    // open connections that no player uses
  FaultOptions nodes_failed;           // faults of nodes under load
  std::optional<Distances> distances;  // no value: unknown, the cluster was running already
  std::string runner;                  // "process", "docker", "podman"; empty: unknown
  std::string arrival;
  std::uint64_t seed = 0;
  Verdict verdict;
  std::optional<CollisionBill> bill;       // no value: some events are unknown
  std::shared_ptr<const Told> told;        // null: some events are unknown
  std::string events_missing;              // reason why events are unknown
  std::shared_ptr<const OwnFindings> own;  // findings of a mode with its own judge
  std::vector<CurvePoint> curve;  // rooms (y) over ms (x); without events, the polled numbers
  double load_ms = 0;             // time until every player was in a room, had failed or had left
  nlohmann::json lock_stats = nlohmann::json::object();
  std::vector<std::string> complaints;  // processes that ended too early or had to be killed

  // Lists the faults of the run in words; empty if there are none.
  [[nodiscard]] std::vector<std::string> faults() const;
  // Lists warnings: problems that are not the cluster's fault but make its result less reliable.
  [[nodiscard]] std::vector<std::string> warnings() const;
};

// Returns true if the rooms were containers instead of processes. Reports must mention this.
[[nodiscard]] inline bool is_contained(const RunResult& run) {
  return !run.runner.empty() && run.runner != "process";
}

// Returns false for "none", because this baseline makes no promises.
[[nodiscard]] bool promises_no_duplicates(const std::string& lock);

// Returns the number of rooms over time, as the masters' lists showed it in each sample.
[[nodiscard]] std::vector<CurvePoint> polled_curve(const Observation& seen);

// Returns the times to match of all players. A player without a seat has an infinite time, so it
// counts as the slowest.
[[nodiscard]] std::vector<double> match_times_of_all(const RunResult& run);
[[nodiscard]] Percentiles match_ms_of_all(const RunResult& run);

[[nodiscard]] std::optional<double> collisions_of(const RunResult& run);
[[nodiscard]] std::optional<double> wasted_room_seconds_of(const RunResult& run);

// Rates of failures while players came and left: per hour, and per 1000 players with a seat.
struct Rates {
  std::optional<double> collisions_per_hour;
  std::optional<double> duplicates_per_hour;
  std::optional<double> collisions_per_1000;
  std::optional<double> duplicates_per_1000;
};
// Returns the rates of a churn run. No value for other runs, because a burst is too short for a
// rate.
[[nodiscard]] std::optional<Rates> rates_of(const RunResult& run);

// Returns the strategies in the order of their first runs.
[[nodiscard]] std::vector<std::string> strategies(const std::vector<RunResult>& runs);
[[nodiscard]] std::vector<const RunResult*> runs_of(const std::vector<RunResult>& runs,
                                                    const std::string& lock);

}  // namespace fixkeep::client_sim
