// The ports of the nodes of a local cluster and the wires between them.
//
// A cluster to be tried has the ports of configs/*.json and docker-compose.yml: commands of
// README.md fit both. Measured or tested clusters take any ports because several may run at once.
// Thread rule: a free function. Errors: a text that names the scarce ports.
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
  std::uint16_t rooms = 20'000;  // first port of rooms, in a slot of PortSlots
};

// Chooses the usual ports if `options` wants them and the masters' are free; else others. Rooms and
// masters never have the same ports. `slots` keeps the taken ports for its lifetime.
[[nodiscard]] std::variant<ClusterPorts, std::string> choose_ports(const ClusterOptions& options,
                                                                   PortSlots& slots,
                                                                   UsualPorts usual = {});

}  // namespace fixkeep::client_sim
