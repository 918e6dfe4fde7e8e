#include "worker/runner/docker/container_order.hpp"

namespace fixkeep::worker::docker {

namespace {

// Where probes ask, too.
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
  order.open_files = launch.game.open_files;
  order.read_only = options.read_only;
  order.terminal = launch.game.terminal;
  order.log_bytes = log_bytes;
  if (options.network == ContainerNetwork::host) {
    order.network = Network::host;
    return order;
  }
  if (told_address == loopback || told_address == "localhost") order.published_at = loopback;
  for (const wire::NamedPort& port : launch.place.ports) {
    const bool is_main = port.name == wire::main_port_name;
    const auto inside = options.publish.find(is_main ? "port" : port.name);
    order.ports.push_back(
        {port.number, inside == options.publish.end() ? port.number : inside->second});
  }
  return order;
}

}  // namespace fixkeep::worker::docker
