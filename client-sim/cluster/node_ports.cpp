#include "client-sim/cluster/node_ports.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace fixkeep::client_sim {

namespace {

std::uint16_t plus(std::uint16_t port, std::size_t offset) {
  return static_cast<std::uint16_t>(port + offset);
}

}  // namespace

std::variant<ClusterPorts, std::string> choose_ports(const ClusterOptions& options,
                                                     PortSlots& slots, UsualPorts usual) {
  ClusterPorts ports;
  if (options.usual_ports && all_free(usual.http, options.masters) &&
      all_free(usual.mesh, options.masters)) {
    for (std::size_t index = 0; index < options.masters; ++index) {
      ports.http.push_back(plus(usual.http, index));
      ports.mesh.push_back(plus(usual.mesh, index));
    }
  } else {
    const auto nodes = slots.take(1);
    if (!nodes) return "no free loopback ports: too many local clusters run already";
    for (std::size_t index = 0; index < options.masters; ++index) {
      ports.http.push_back(plus(nodes->first, 2 * index));
      ports.mesh.push_back(plus(nodes->first, 2 * index + 1));
    }
  }
  const std::size_t row = std::max<std::size_t>(
      (options.rooms_a_worker + PortSlots::slot_ports) / PortSlots::slot_ports, 1);
  if (options.usual_ports) slots.skip_to(usual.rooms);
  for (std::size_t index = 0; index < options.workers; ++index) {
    auto range = slots.take(row);
    if (!range) {
      return fmt::format("no free loopback ports for {} workers with {} rooms each",
                         options.workers, options.rooms_a_worker);
    }
    ports.worker_http.push_back(range->last--);
    ports.rooms.push_back(*range);
  }
  return ports;
}

}  // namespace fixkeep::client_sim
