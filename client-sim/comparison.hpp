// The runs of a comparison: one cluster and one load for each seed, distance and strategy.
//
// Thread rule: call from the main thread of a single-threaded process; each call blocks until done.
// Errors: returned as an exit code (see options.hpp); `err` gets the reason.
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

// The lock servers of a comparison. Each kind is started one time and serves all runs.
using LockServers = std::map<std::string, std::unique_ptr<EngineServers>>;

// Starts the servers that `lock` needs, unless they are running. Returns the failure, if any.
[[nodiscard]] std::string start_servers(const std::string& lock, LockServers& servers);

// Returns the options of a cluster with this lock. Clusters that share a server need different ids,
// because such clusters must not share locks.
[[nodiscard]] ClusterOptions cluster_options(const Options& options, const std::string& lock,
                                             const Distances& distances,
                                             const LockServers& servers);

// Appends the finished runs to `runs`. Command::load uses a cluster that is already running.
[[nodiscard]] int run_comparison(const Options& options, LockServers& servers, std::ostream& err,
                                 std::vector<RunResult>& runs);

}  // namespace fixkeep::client_sim
