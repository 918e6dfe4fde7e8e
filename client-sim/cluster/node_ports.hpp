// Which ports the nodes of a local cluster listen on, and the wires between them.
//
// A cluster that is kept to be tried has the ports of configs/*.json and docker-compose.yml, so
// that a command of README.md is the same for both. Clusters that are measured or tested take any,
// since several may run at once. Thread rule: a free function. Errors: a text that says which ports
// there are too few of.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>

#include "client-sim/cluster/config.hpp"
#include "client-sim/cluster/ports.hpp"

namespace fixkeep::client_sim {

// The first of each kind; master k and worker k follow.
struct UsualPorts {
  std::uint16_t http = 8101;
  std::uint16_t mesh = 7101;
  std::uint16_t admin = 8181;
  std::uint16_t rooms = 20'000;  // one of PortSlots
};

// The usual ports, if `options` wants them and no master's is taken; else others. Rooms, in either
// case, have ports that no master has. `slots` keeps what was taken for as long as it lives.
[[nodiscard]] std::variant<ClusterPorts, std::string> choose_ports(const ClusterOptions& options,
                                                                   PortSlots& slots,
                                                                   UsualPorts usual = {});

}  // namespace fixkeep::client_sim
