// A mode with widening rules for a real cluster and the players that come to it.
//
// Players bring a party. Their numbers are spread as on a made day (lab/replay/arrivals.hpp). All
// players of a run are in one pool.
// Thread rule: free functions and values. Errors: sentences with the change to make. Each has a
// line.
#pragma once

#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "client-sim/load/workload.hpp"
#include "lab/pools/pool_judge.hpp"
#include "lab/replay/arrivals.hpp"
#include "master/rules/plan/rules.hpp"

namespace fixkeep::client_sim {

struct LiveRules {
  std::string mode;                     // its name
  std::string text;                     // JSON for the file of a master
  std::vector<std::string> attributes;  // attributes that make a pool
  master::plan::Rules rules;
};

[[nodiscard]] std::variant<std::shared_ptr<const LiveRules>, std::string> read_live_rules(
    const std::string& path);

// The same mode with a pool for each "region". Every request of a load names one.
[[nodiscard]] std::shared_ptr<const LiveRules> pools_by_region(LiveRules mode);

struct PoolLoad {
  Workload requests;
  Brought brought;
  std::vector<replay::Arrival> arrivals;  // the same, for a replay
};
// Makes options.players requests. Each is of a party (usually of one).
[[nodiscard]] PoolLoad make_pool_load(const LiveRules& mode, const WorkloadOptions& options);

}  // namespace fixkeep::client_sim
