#include "client-sim/cluster/config.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace fixkeep::client_sim {

namespace {

using nlohmann::json;

std::string loopback(std::uint16_t port) {
  return "127.0.0.1:" + std::to_string(port);
}

json cluster(const ClusterOptions& options, const std::string& secret) {
  return {{"id", options.id}, {"secret", secret}};
}

json log(const ClusterOptions& options) {
  return {{"level", options.log_level}, {"format", "text"}};
}

json masters(const ClusterPorts& ports) {
  json list = json::array();
  for (std::size_t index = 0; index < ports.mesh.size(); ++index) {
    list.push_back({{"id", index + 1}, {"address", loopback(ports.mesh[index])}});
  }
  return list;
}

}  // namespace

std::string zone_name(std::size_t index) {
  return index % 2 == 0 ? "a" : "c";
}

std::string master_config(const ClusterOptions& options, const ClusterPorts& ports,
                          std::size_t index, const std::string& secret) {
  // The same as in the example, or what the run needs if that is more.
  const auto waiting = std::max<std::size_t>(50'000, options.players);
  // All players come from one address.
  const auto starting = std::max<std::size_t>(512, options.players);
  const json config = {
      {"cluster", cluster(options, secret)},
      {"master", {{"id", index + 1}, {"zone", zone_name(index)}}},
      {"http", {{"address", "127.0.0.1"}, {"port", ports.http[index]}}},
      {"mesh",
       {{"listen", loopback(ports.mesh[index])},
        {"masters", masters(ports)},
        {"join_grace_ms", 5000},
        {"heartbeat_ms", 250},
        {"heartbeat_timeout_ms", 2000}}},
      {"lock",
       {{"strategy", options.lock},
        {"servers", options.lock_servers},
        {"wait_ms", 10'000},
        {"lease_ms", 5000},
        {"fence", "on-change"}}},
      {"matching",
       {{"placement", "roomiest"},
        {"wait_ms", options.wait_ms},
        {"waiting_requests", waiting},
        {"starting_rooms_per_group", starting},
        {"starting_rooms_per_client", starting},
        {"spawn_attempts", 3}}},
      {"modes",
       json::array(
           {{{"name", "duel"}, {"capacity", options.capacity}, {"attributes", {"region"}}}})},
      {"events", {{"keep", options.events_kept}}},
      {"log", log(options)}};
  return config.dump(2);
}

std::string worker_config(const ClusterOptions& options, const ClusterPorts& ports,
                          std::size_t index, const std::string& secret,
                          const std::string& game_program) {
  const auto& range = ports.rooms[index];
  const auto room_ports = static_cast<std::uint32_t>(range.last - range.first + 1);
  const json config = {{"cluster", cluster(options, secret)},
                       {"worker",
                        {{"id", "w" + std::to_string(index + 1)},
                         {"zone", zone_name(index)},
                         {"address", "127.0.0.1"}}},
                       {"masters", masters(ports)},
                       {"rooms",
                        {{"limit", std::min(options.rooms_a_worker, room_ports)},
                         {"ports", {{"first", range.first}, {"last", range.last}}},
                         {"memory_mb", 0},
                         {"reservation_ms", options.reservation_ms},
                         {"close_empty_after_ms", options.close_empty_after_ms}}},
                       {"modes", json::array({{{"name", "duel"},
                                               {"command",
                                                {game_program, "--port", "{port}", "--boot-ms",
                                                 std::to_string(options.boot_ms)}},
                                               {"boot_timeout_ms", options.boot_ms + 30'000},
                                               {"stop_grace_ms", 2000},
                                               {"memory_mb", 0}}})},
                       {"http", {{"address", "127.0.0.1"}, {"port", ports.worker_http[index]}}},
                       {"events", {{"keep", options.events_kept}}},
                       {"log", log(options)}};
  return config.dump(2);
}

}  // namespace fixkeep::client_sim
