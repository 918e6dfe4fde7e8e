#include "client-sim/cluster/wires.hpp"

#include <algorithm>

namespace fixkeep::client_sim {

std::string master_name(std::size_t index) {
  return "m" + std::to_string(index + 1);
}

std::string worker_name(std::size_t index) {
  return "w" + std::to_string(index + 1);
}

std::vector<Wire> plan_wires(const ClusterOptions& options,
                             const std::vector<std::uint16_t>& mesh) {
  std::vector<Wire> wires;
  const auto add = [&](LinkKind kind, std::size_t from_index, std::size_t to_index,
                       const std::string& from, const std::string& to, std::uint16_t target) {
    const double ms = one_way_ms(options.distances, kind, from_index, to_index);
    const bool needed = ms > 0 || options.most_link_ms > 0 || options.wires;
    if (needed) wires.push_back({.from = from, .to = to, .target = target, .one_way_ms = ms});
  };
  for (std::size_t from = 0; from < mesh.size(); ++from) {
    for (std::size_t to = 0; to < mesh.size(); ++to) {
      if (from == to) continue;
      add(LinkKind::between_masters, from, to, master_name(from), master_name(to), mesh[to]);
    }
    for (std::size_t server = 0; server < options.lock_servers.size(); ++server) {
      add(LinkKind::between_masters, from, server, master_name(from),
          "s" + std::to_string(server + 1), port_of(options.lock_servers[server]));
    }
  }
  for (std::size_t from = 0; from < options.workers; ++from) {
    for (std::size_t to = 0; to < mesh.size(); ++to) {
      add(LinkKind::worker_to_master, from, to, worker_name(from), master_name(to), mesh[to]);
    }
  }
  return wires;
}

std::uint16_t reached_at(const std::vector<Wire>& wires, const std::string& from,
                         std::uint16_t to) {
  const auto wire = std::find_if(wires.begin(), wires.end(), [&](const Wire& each) {
    return each.from == from && each.target == to;
  });
  return wire == wires.end() ? to : wire->listen;
}

}  // namespace fixkeep::client_sim
