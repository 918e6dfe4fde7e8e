// The options of every runner; options of only one runner are in its own folder.
// Thread rule: values. Bounds: set by the configuration. Errors: none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "common/base/ids.hpp"
#include "worker/keeper/room_limits.hpp"
#include "worker/runner/user_range.hpp"

namespace fixkeep::worker {

// The output of games that is kept.
struct GameOutputOptions {
  std::string folder;  // made when the first game starts; empty: output/ in the state folder
  // A file holds the log of a usual match, and two of each room fit any disk. A full file is moved
  // to .1 once, and no more is written in a second. 0: output is thrown away.
  std::uint32_t file_bytes = 1U << 20U;
  // The files of the last ended rooms are enough to look into a failure, and take at most 400 MiB.
  static constexpr std::uint32_t kept_rooms = 200;

  friend bool operator==(const GameOutputOptions&, const GameOutputOptions&) = default;
};

// The Kubernetes cluster of the rooms.
struct KubernetesOptions {
  std::string kubeconfig;  // JSON; empty: the service account of the worker's own pod
  std::string name_space;  // the rooms'; empty: that of the kubeconfig or the service account
  std::map<std::string, std::string> addresses;  // addresses of nodes, as players reach them
  // Adds a container with the SDK relay to each game. It reaches the worker here.
  struct Sdk {
    std::string image;  // empty: games have no SDK
    std::string host;
    std::uint16_t port = 9359;

    friend bool operator==(const Sdk&, const Sdk&) = default;
  };
  Sdk sdk;

  friend bool operator==(const KubernetesOptions&, const KubernetesOptions&) = default;
};

struct RunnerOptions {
  std::string cluster;
  WorkerId worker;
  std::string address;       // this machine's, as players are told it
  std::string state_folder;  // holds data that must outlive the worker; empty: a default
  bool upgrade = false;      // asks a worker that has it to leave, with SIGUSR2
  GameOutputOptions output;
  UserRange users;                                     // the rooms' own users
  std::vector<RoomLimits> limits;                      // known limits of games that will be started
  std::string engine_socket = "/var/run/docker.sock";  // socket of the container engine
  KubernetesOptions kubernetes;
  std::uint16_t first_port = 0;  // range of the rooms' ports on the nodes of a cluster
  std::uint16_t last_port = 0;
  std::size_t most_ports = 1;        // most known ports of one room
  std::vector<std::string> images;   // known images of containers
  std::vector<std::string> fleets;   // known fleets of games
  std::uint32_t starts_at_once = 0;  // games on their way at a time; 0: twice the cores
};

}  // namespace fixkeep::worker
