// The runs of a comparison: one cluster and one load for each seed, distance and strategy.
//
// Thread rule: from the main thread of a single-threaded process; blocks until done.
// Errors: an exit code (see options.hpp); the reason is written to `err`.
#pragma once

#include <iosfwd>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "client-sim/cluster/lock_servers.hpp"
#include "client-sim/options.hpp"
#include "client-sim/report/results.hpp"

namespace fixkeep::client_sim {

// The lock servers of a comparison: each kind is started once and serves all its runs.
using LockServers = std::map<std::string, std::unique_ptr<EngineServers>>;

// Starts what `lock` needs and is not there yet. Returns what went wrong.
[[nodiscard]] std::string start_servers(const std::string& lock, LockServers& servers);

// A cluster with this lock; clusters that share a server must not share their locks.
[[nodiscard]] ClusterOptions cluster_options(const Options& options, const std::string& lock,
                                             const Distances& distances,
                                             const LockServers& servers);

// Appends to `runs` what was finished. Command::load: of a cluster that runs already.
[[nodiscard]] int run_comparison(const Options& options, LockServers& servers, std::ostream& err,
                                 std::vector<RunResult>& runs);

}  // namespace fixkeep::client_sim
