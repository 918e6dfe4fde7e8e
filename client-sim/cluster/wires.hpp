// The wires of the relay that put distance between the nodes of a local cluster.
//
// Each master has a wire to each other master and to each lock server. Each worker has one to each
// master. If there are never distances, nodes connect directly. Thread rule: free functions.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "client-sim/cluster/config.hpp"

namespace fixkeep::client_sim {

// Their ports are not chosen yet. `mesh`: the port that each master listens on.
[[nodiscard]] std::vector<Wire> plan_wires(const ClusterOptions& options,
                                           const std::vector<std::uint16_t>& mesh);

// Where `from` reaches the port `to`: at a wire's end if there is one or else at the port itself.
[[nodiscard]] std::uint16_t reached_at(const std::vector<Wire>& wires, const std::string& from,
                                       std::uint16_t to);

[[nodiscard]] std::string master_name(std::size_t index);  // "m1"
[[nodiscard]] std::string worker_name(std::size_t index);  // "w1"

}  // namespace fixkeep::client_sim
