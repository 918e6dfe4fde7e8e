#include "client-sim/cluster/node_ports.hpp"

#include <fmt/format.h>

#include "client-sim/cluster/wires.hpp"

namespace fixkeep::client_sim {

namespace {

std::uint16_t plus(std::uint16_t port, std::size_t offset) {
  return static_cast<std::uint16_t>(port + offset);
}

std::size_t slots_for(std::size_t ports) {
  return (ports + PortSlots::slot_ports - 1) / PortSlots::slot_ports;
}

}  // namespace

std::variant<ClusterPorts, std::string> choose_ports(const ClusterOptions& options,
                                                     PortSlots& slots, UsualPorts usual) {
  ClusterPorts ports;
  if (options.usual_ports && all_free(usual.http, options.masters) &&
      all_free(usual.mesh, options.masters) && all_free(usual.admin, options.masters)) {
    for (std::size_t index = 0; index < options.masters; ++index) {
      ports.http.push_back(plus(usual.http, index));
      ports.mesh.push_back(plus(usual.mesh, index));
      ports.admin.push_back(plus(usual.admin, index));
    }
  } else {
    const auto nodes = slots.take(1);
    if (!nodes) return "no free loopback ports: too many local clusters run already";
    for (std::size_t index = 0; index < options.masters; ++index) {
      ports.http.push_back(plus(nodes->first, 3 * index));
      ports.mesh.push_back(plus(nodes->first, 3 * index + 1));
      ports.admin.push_back(plus(nodes->first, 3 * index + 2));
    }
  }
  const auto row = slots_for(options.rooms_a_worker + 1);
  if (options.usual_ports) slots.skip_to(usual.rooms);
  for (std::size_t index = 0; index < options.workers; ++index) {
    auto range = slots.take(row);
    if (!range) {
      return fmt::format("no free loopback ports for {} workers with {} rooms each",
                         options.workers, options.rooms_a_worker);
    }
    ports.worker_admin.push_back(range->last--);
    ports.rooms.push_back(*range);
  }
  ports.wires = plan_wires(options, ports.mesh);
  if (ports.wires.empty()) return ports;
  const auto ends = slots.take(slots_for(ports.wires.size()));
  if (!ends) return fmt::format("no free loopback ports for {} wires", ports.wires.size());
  for (std::size_t index = 0; index < ports.wires.size(); ++index) {
    ports.wires[index].listen = plus(ends->first, index);
  }
  return ports;
}

}  // namespace fixkeep::client_sim
