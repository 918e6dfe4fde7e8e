// A mode with widening rules for a real cluster, and its players.
//
// A player may bring a party. Players' numbers have the default distribution Bell
// (lab/replay/arrivals.hpp). All players of a run are in one pool. Thread rule: free functions and
// values. Errors: sentences with the change to make, one on each line.
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
  std::string mode;
  std::string text;                     // JSON for a master's file
  std::vector<std::string> attributes;  // attributes that separate pools
  master::plan::Rules rules;
};

[[nodiscard]] std::variant<std::shared_ptr<const LiveRules>, std::string> read_live_rules(
    const std::string& path);

// Returns the same mode with one pool for each "region": every request must name a region.
[[nodiscard]] std::shared_ptr<const LiveRules> pools_by_region(LiveRules mode);

struct PoolLoad {
  Workload requests;
  Brought brought;
  std::vector<replay::Arrival> arrivals;  // the requests, for a replay
};
// Makes options.players requests, each for a party (usually one player).
[[nodiscard]] PoolLoad make_pool_load(const LiveRules& mode, const WorkloadOptions& options);

}  // namespace fixkeep::client_sim
