// The configuration files of a local cluster. The keys are the same as in configs/master.json and
// configs/worker.json.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "client-sim/cluster/containers.hpp"
#include "client-sim/cluster/distances.hpp"
#include "client-sim/cluster/ports.hpp"

namespace fixkeep::client_sim {

// If rooms are containers: the container engine, and an image that it has.
struct ContainerRooms {
  EnginePlace engine;
  std::string image;
};

struct ClusterOptions {
  std::string id = "client-sim";  // id of the cluster; unique per lock server
  std::string lock = "multiphase";
  std::vector<std::string> lock_servers;  // "host:port"; for locks that use servers
  std::string runner = "process";         // runner of rooms: "process", "docker", "podman"
  std::size_t masters = 3;
  std::size_t workers = 6;
  std::uint32_t capacity = 8;  // seats of a room
  // A mode with widening rules, as JSON for a master's file. Empty: the mode "duel" with the
  // attribute region.
  std::string ruled_mode;
  std::uint32_t boot_ms = 500;  // boot time of a game process
  std::uint32_t warm = 0;       // rooms kept ready without a group
  std::uint32_t rooms_a_worker = 200;
  std::uint32_t reservation_ms = 15'000;
  std::uint32_t close_empty_after_ms = 60'000;
  std::uint32_t wait_ms = 30'000;
  std::string log_level = "info";
  std::size_t events_kept = 200'000;  // events kept by each node
  bool usual_ports = false;           // use the ports of the examples if they are free
  Distances distances;
  // If above 0, the delay between all nodes can be changed while the cluster runs, up to this
  // one-way delay. For this purpose, each pair of nodes has a wire, even if the delay is 0.
  double most_link_ms = 0;
  bool wires = false;        // true: each pair of nodes has a wire, even without a delay
  std::string boot_ms_file;  // games read their boot time from this file; empty: boot_ms applies
  std::uint64_t relay_seed = 1;  // decides jitter and losses
};

// Returns slowest_round_trip_ms (distances.hpp) for the longest delays that `options` allows.
[[nodiscard]] std::uint32_t slowest_round_trip_ms(const ClusterOptions& options);

// A path through the relay from one node to a port of another node. The sender connects to the
// relay's port `listen`. `target` is the port of the other node.
struct Wire {
  std::string from;
  std::string to;
  std::uint16_t listen = 0;
  std::uint16_t target = 0;
  double one_way_ms = 0;
};

struct ClusterPorts {
  std::vector<std::uint16_t> http;  // HTTP port of each master
  std::vector<std::uint16_t> mesh;
  std::vector<std::uint16_t> admin;         // port of each master for operators
  std::vector<PortRange> rooms;             // room ports of each worker
  std::vector<std::uint16_t> worker_admin;  // operators' port of each worker, or empty
  std::vector<Wire> wires;                  // empty without distances
};

// Returns JSON text. `index` starts at zero. Master ids and worker names start at one.
[[nodiscard]] std::string master_config(const ClusterOptions& options, const ClusterPorts& ports,
                                        std::size_t index, const std::string& secret);
// `containers` is not used by the runner "process".
[[nodiscard]] std::string worker_config(const ClusterOptions& options, const ClusterPorts& ports,
                                        std::size_t index, const std::string& secret,
                                        const std::string& game_program,
                                        const ContainerRooms& containers = {});

}  // namespace fixkeep::client_sim
