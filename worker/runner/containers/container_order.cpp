#include "worker/runner/containers/container_order.hpp"

namespace fixkeep::worker::containers {

namespace {

// The worker's probes connect to this address, even if players get another address.
constexpr std::string_view loopback = "127.0.0.1";

}  // namespace

ContainerOrder container_order(const Launch& launch, const Owner& owner, std::uint32_t log_bytes,
                               std::string_view told_address) {
  const ContainerOptions& options = launch.container;
  ContainerOrder order;
  order.name = launch.object;
  order.labels = {owner.cluster, owner.worker, launch.name, to_string(launch.creation)};
  order.image = options.image;
  order.command = launch.game.command;
  order.environment = launch.game.environment;
  order.working_folder = launch.game.working_folder;
  order.user = launch.user;
  if (!launch.group.empty()) order.user += ":" + launch.group;
  order.limits = launch.game.limits;
  order.read_only = options.read_only;
  order.terminal = launch.game.terminal;
  order.log_bytes = log_bytes;
  if (options.network == ContainerNetwork::host) order.network = Network::host;
  if (told_address == loopback || told_address == "localhost") order.published_at = loopback;
  order.ports = published_ports(options, launch.place);
  return order;
}

std::vector<PublishedPort> published_ports(const ContainerOptions& container,
                                           const wire::RoomPlace& place) {
  std::vector<PublishedPort> ports;
  if (container.network == ContainerNetwork::host) return ports;
  for (const wire::NamedPort& port : place.ports) {
    const bool is_main = port.name == wire::main_port_name;
    const auto inside = container.publish.find(is_main ? "port" : port.name);
    ports.push_back(
        {port.number, inside == container.publish.end() ? port.number : inside->second});
  }
  return ports;
}

}  // namespace fixkeep::worker::containers
