// Chooses the ports of a local cluster's nodes and of the wires between them.
//
// A cluster of `fixkeep-client-sim up` has the ports of configs/*.json and docker-compose.yml. The
// commands in README.md thus work for this cluster too. Clusters for measurements or tests use any
// ports, because several clusters can run at the same time. Thread rule: a free function. Errors: a
// text that names the missing ports.
#pragma once

#include <cstdint>
#include <string>
#include <variant>

#include "client-sim/cluster/config.hpp"
#include "client-sim/cluster/ports.hpp"

namespace fixkeep::client_sim {

// The first port of each kind. The first node uses this port; the other nodes use the ports after
// it.
struct UsualPorts {
  std::uint16_t http = 8101;
  std::uint16_t mesh = 7101;
  std::uint16_t admin = 8181;
  std::uint16_t rooms = 20'000;  // first port of rooms, in a slot of PortSlots
};

// Chooses the usual ports if `options` requests them and the masters' ports are free. Otherwise
// chooses other ports. Rooms and masters never share a port. Ports from `slots` stay reserved as
// long as `slots` exists.
[[nodiscard]] std::variant<ClusterPorts, std::string> choose_ports(const ClusterOptions& options,
                                                                   PortSlots& slots,
                                                                   UsualPorts usual = {});

}  // namespace fixkeep::client_sim
