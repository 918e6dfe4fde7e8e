#include "client-sim/cluster/config.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "client-sim/cluster/wires.hpp"

namespace fixkeep::client_sim {

namespace {

using nlohmann::json;

json cluster(const ClusterOptions& options, const std::string& secret) {
  return {{"id", options.id}, {"secret", secret}};
}

json log(const ClusterOptions& options) {
  return {{"level", options.log_level}, {"format", "text"}};
}

json network(const ClusterOptions& options) {
  return {{"round_trip_ms", slowest_round_trip_ms(options)}};
}

// The addresses of the masters as `node` reaches them.
json masters(const ClusterPorts& ports, const std::string& node) {
  json list = json::array();
  for (std::size_t index = 0; index < ports.mesh.size(); ++index) {
    const auto port = reached_at(ports.wires, node, ports.mesh[index]);
    list.push_back({{"id", index + 1}, {"address", loopback(port)}});
  }
  return list;
}

json lock_servers(const ClusterOptions& options, const ClusterPorts& ports,
                  const std::string& node) {
  json list = json::array();
  for (const auto& server : options.lock_servers) {
    list.push_back(loopback(reached_at(ports.wires, node, port_of(server))));
  }
  return list;
}

json mode_config(const ClusterOptions& options) {
  if (!options.ruled_mode.empty()) return json::parse(options.ruled_mode);
  return {{"name", "duel"}, {"capacity", options.capacity}, {"attributes", {"region"}}};
}

// The command line of the demo game.
json game_command(const ClusterOptions& options, const std::string& program) {
  json command = {program, "--port", "{port}"};
  if (options.boot_ms_file.empty()) {
    command.insert(command.end(), {"--boot-ms", std::to_string(options.boot_ms)});
  } else {
    command.insert(command.end(), {"--boot-ms-file", options.boot_ms_file});
  }
  return command;
}

}  // namespace

std::uint32_t slowest_round_trip_ms(const ClusterOptions& options) {
  auto distances = options.distances;
  distances.link_ms = std::max(distances.link_ms, options.most_link_ms);
  return slowest_round_trip_ms(distances);
}

std::string master_config(const ClusterOptions& options, const ClusterPorts& ports,
                          std::size_t index, const std::string& secret) {
  constexpr auto no_bound = 1'000'000;  // no limit per address: all players share one address
  const auto self = master_name(index);
  json config = {
      {"cluster", cluster(options, secret)},
      {"master", {{"id", index + 1}, {"zone", zone_name(options.distances, index)}}},
      {"http",
       {{"address", "127.0.0.1"},
        {"port", ports.http[index]},
        {"connections", 40'000}}},  // one address may use half of these connections
      {"admin", {{"address", "127.0.0.1"}, {"port", ports.admin[index]}}},
      {"mesh", {{"listen", loopback(ports.mesh[index])}, {"masters", masters(ports, self)}}},
      {"network", network(options)},
      {"lock", {{"strategy", options.lock}, {"servers", lock_servers(options, ports, self)}}},
      {"matching",
       {{"wait_ms", options.wait_ms},
        {"waiting_requests_per_client", no_bound},
        {"rooms_per_client_per_minute", 0}}},  // all players share one address
      {"modes", json::array({mode_config(options)})},
      {"events", {{"keep", options.events_kept}}},
      {"log", log(options)}};
  if (options.warm > 0) {
    config["modes"][0]["warm"] = {{"min", options.warm}, {"max", options.warm}};
  }
  return config.dump(2);
}

std::string worker_config(const ClusterOptions& options, const ClusterPorts& ports,
                          std::size_t index, const std::string& secret,
                          const std::string& game_program, const ContainerRooms& containers) {
  const auto& range = ports.rooms[index];
  const auto room_ports = static_cast<std::uint32_t>(range.last - range.first + 1);
  const auto self = worker_name(index);
  const int admin_port = index < ports.worker_admin.size() ? ports.worker_admin[index] : 0;
  json config = {{"cluster", cluster(options, secret)},
                 {"worker",
                  {{"id", self},
                   {"zone", zone_name(options.distances, index)},
                   {"address", "127.0.0.1"},
                   {"state_folder", "state-" + self}}},
                 {"masters", masters(ports, self)},
                 {"network", network(options)},
                 {"rooms",
                  {{"limit", std::min(options.rooms_a_worker, room_ports)},
                   {"ports", {{"first", range.first}, {"last", range.last}}},
                   {"memory_mib", 0},
                   {"reservation_ms", options.reservation_ms},
                   {"close_empty_after_ms", options.close_empty_after_ms},
                   {"outlive_worker_ms", 0}}},
                 {"games", json::array({{{"mode", mode_config(options)["name"]},
                                         {"command", game_command(options, game_program)},
                                         {"boot_timeout_ms", options.boot_ms + 30'000},
                                         {"stop_grace_ms", 2000},
                                         {"memory_mib", 0}}})},
                 {"admin", {{"address", "127.0.0.1"}, {"port", admin_port}}},
                 {"events", {{"keep", options.events_kept}}},
                 {"log", log(options)}};
  if (options.runner != "process") {
    config["rooms"]["runner"] = options.runner;
    config["rooms"]["engine_socket"] = containers.engine.socket;
    // In the host's network, a game reaches the SDK of its room even if the worker runs without
    // special rights.
    config["games"][0]["container"] = {{"image", containers.image}, {"network", "host"}};
  }
  return config.dump(2);
}

}  // namespace fixkeep::client_sim
