// The options of every runner. Options of a single runner are in the folder of that runner.
// Thread rule: values. Bounds: those of the configuration. Errors: none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "common/base/ids.hpp"
#include "common/net/tls/https_certificate.hpp"
#include "worker/keeper/room_limits.hpp"
#include "worker/runner/user_range.hpp"

namespace fixkeep::worker {

// Bounds for the kept output of games. The files are in output/ of the state folder.
struct GameOutputOptions {
  // Limit of a file, which is enough for the output of a usual match. A full file is renamed to .1
  // and replaces the older .1 file. Two such files for each room fit on any disk. At most
  // `file_bytes` are written in a second. 0: output is discarded.
  std::uint32_t file_bytes = 1U << 20U;
  // The output of this number of ended rooms is kept. This is enough to examine a failure, and
  // takes at most 400 MiB.
  static constexpr std::uint32_t kept_rooms = 200;

  friend bool operator==(const GameOutputOptions&, const GameOutputOptions&) = default;
};

// The port at which the relays beside pods reach this worker. Services and network policies need a
// known number, and a worker that runs as a pod shares its ports with no other worker.
inline constexpr std::uint16_t relay_port = 9359;

// The Kubernetes cluster that runs the rooms.
struct KubernetesOptions {
  std::string kubeconfig;  // JSON; empty: the service account of the worker's own pod
  // Namespace of the rooms. Empty: the namespace of the kubeconfig or the service account
  std::string name_space;
  std::map<std::string, std::string> addresses;  // addresses of nodes for players
  // Adds a container with the SDK relay beside each game. The relay reaches the worker at this
  // address.
  struct Sdk {
    std::string image;  // empty: games have no SDK
    std::string host;

    friend bool operator==(const Sdk&, const Sdk&) = default;
  };
  Sdk sdk;

  friend bool operator==(const KubernetesOptions&, const KubernetesOptions&) = default;
};

struct RunnerOptions {
  std::string cluster;
  WorkerId worker;
  std::string address;       // this machine's address for players
  std::string state_folder;  // for data that must outlive the worker; empty: a default folder
  bool upgrade = false;      // sends SIGUSR2 to the folder's present worker, so that it leaves
  GameOutputOptions output;
  net::HttpsFiles tls;             // used by ports "wss" of rooms; empty: games decrypt themselves
  UserRange users;                 // the rooms' own users
  std::vector<RoomLimits> limits;  // limits of all games that may be started
  std::string engine_socket;       // socket of the container engine; empty: the usual socket
  KubernetesOptions kubernetes;
  std::uint16_t first_port = 0;  // range of the rooms' ports on the nodes of a cluster
  std::uint16_t last_port = 0;
  std::size_t most_ports = 1;        // highest number of ports of any known room
  std::vector<std::string> images;   // images of all known games
  std::vector<std::string> fleets;   // fleets of all known games
  std::uint32_t starts_at_once = 0;  // games that start at a time; 0: twice the cores
};

}  // namespace fixkeep::worker
