// The outcome of one run with what is needed to report it.
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

// The events of the nodes tell this of a run.
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
  std::int64_t boot_ms = -1;           // -1: not known, the cluster was there already
  std::size_t idle_connections = 0;    // connections open beside those of the players
  FaultOptions nodes_failed;           // faults of nodes under load
  std::optional<Distances> distances;  // no value: unknown, the cluster was running already
  std::string runner;                  // runner of its rooms: "process", "docker"; empty: unknown
  std::string arrival;
  std::uint64_t seed = 0;
  Verdict verdict;
  std::optional<CollisionBill> bill;       // no value: some events are unknown
  std::shared_ptr<const Told> told;        // the same
  std::string events_missing;              // why
  std::shared_ptr<const OwnFindings> own;  // findings of a mode with its own judge
  std::vector<CurvePoint> curve;  // rooms (y) over ms (x); without events, as they were polled
  double load_ms = 0;             // time until every player was decided or had left
  nlohmann::json lock_stats = nlohmann::json::object();
  std::vector<std::string> complaints;  // processes that ended early, or would not end

  // Says in words what a run may be blamed for; empty if it is fine.
  [[nodiscard]] std::vector<std::string> faults() const;
  // Warns of what is no fault of the cluster and makes the run say less than it seems to.
  [[nodiscard]] std::vector<std::string> warnings() const;
};

// Its rooms were no processes: this is worth saying.
[[nodiscard]] inline bool is_contained(const RunResult& run) {
  return !run.runner.empty() && run.runner != "process";
}

// "none" promises nothing; it is the baseline.
[[nodiscard]] bool promises_no_duplicates(const std::string& lock);

// Rooms over time as a master's list had them whenever it was read.
[[nodiscard]] std::vector<CurvePoint> polled_curve(const Observation& seen);

// Returns the times to match of all players. A player without a seat counts as infinite: the
// slowest.
[[nodiscard]] std::vector<double> match_times_of_all(const RunResult& run);
[[nodiscard]] Percentiles match_ms_of_all(const RunResult& run);

[[nodiscard]] std::optional<double> collisions_of(const RunResult& run);
[[nodiscard]] std::optional<double> wasted_room_seconds_of(const RunResult& run);

// Rates say how often something went wrong while players came and went; a match is a player with a
// seat.
struct Rates {
  std::optional<double> collisions_per_hour;
  std::optional<double> duplicates_per_hour;
  std::optional<double> collisions_per_1000;
  std::optional<double> duplicates_per_1000;
};
// Only of a churn: what a burst is over in an instant has no rate.
[[nodiscard]] std::optional<Rates> rates_of(const RunResult& run);

// The strategies in the order of their first run.
[[nodiscard]] std::vector<std::string> strategies(const std::vector<RunResult>& runs);
[[nodiscard]] std::vector<const RunResult*> runs_of(const std::vector<RunResult>& runs,
                                                    const std::string& lock);

}  // namespace fixkeep::client_sim
