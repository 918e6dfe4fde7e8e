// A mode whose rules widen, for a cluster that really runs, and the players that come to it.
//
// Players bring what a request can say of them: numbers, spread as those of a made day are
// (lab/replay/arrivals.hpp), and a party. All of one run are of one pool.
// Thread rule: free functions and values. Errors: sentences, a line each, that say what to change.
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
  std::string text;                     // as JSON, for the file of a master
  std::vector<std::string> attributes;  // those that make a pool
  master::plan::Rules rules;
};

[[nodiscard]] std::variant<std::shared_ptr<const LiveRules>, std::string> read_live_rules(
    const std::string& path);

// The same mode with a pool for each "region", which every request of a load names.
[[nodiscard]] std::shared_ptr<const LiveRules> pools_by_region(LiveRules mode);

struct PoolLoad {
  Workload requests;
  Brought brought;
  std::vector<replay::Arrival> arrivals;  // the same, for a replay
};
// There are as many requests as options.players says, each of a party that is usually of one.
[[nodiscard]] PoolLoad make_pool_load(const LiveRules& mode, const WorkloadOptions& options);

}  // namespace fixkeep::client_sim
