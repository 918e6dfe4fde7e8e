// The relay's wires. They add distance between the nodes of a local cluster.
//
// Each master has a wire to each other master and to each lock server. Each worker has a wire to
// each master. Nodes that need no wire (config.hpp) connect directly. Thread rule: free functions.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "client-sim/cluster/config.hpp"

namespace fixkeep::client_sim {

// Returns the wires. Their listening ports are not chosen yet. `mesh`: the mesh port of each
// master.
[[nodiscard]] std::vector<Wire> plan_wires(const ClusterOptions& options,
                                           const std::vector<std::uint16_t>& mesh);

// Returns the port at which `from` reaches port `to`: the port of a wire, or `to` itself if there
// is no wire.
[[nodiscard]] std::uint16_t reached_at(const std::vector<Wire>& wires, const std::string& from,
                                       std::uint16_t to);

[[nodiscard]] std::string master_name(std::size_t index);  // "m1"
[[nodiscard]] std::string worker_name(std::size_t index);  // "w1"

}  // namespace fixkeep::client_sim
