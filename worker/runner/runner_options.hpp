// These are the options of every runner; what only one of them needs is in its own folder.
// Thread rule: values. Bounds: those of the configuration. Errors: none.
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

// So much of what games write is kept.
struct GameOutputOptions {
  std::string folder;  // made when the first game starts; empty: output/ in the state folder
  std::uint32_t file_bytes = 1U << 20U;  // 0: what games write is thrown away
  std::uint32_t kept_rooms = 200;        // that have ended

  friend bool operator==(const GameOutputOptions&, const GameOutputOptions&) = default;
};

// A cluster of Kubernetes, in which rooms are.
struct KubernetesOptions {
  std::string kubeconfig;  // in JSON; empty: the service account of the worker's own pod
  std::string name_space;  // of the rooms; empty: that of the kubeconfig or the service account
  std::map<std::string, std::string> addresses;  // of nodes, as players reach them
  // A container with the relay of the SDK is put beside each game, which reaches the worker here.
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
  std::string address;       // of this machine, as players are told it
  std::string state_folder;  // what must outlive the worker; empty: a place of its own
  bool upgrade = false;      // a worker that has it is asked to leave, with SIGUSR2
  GameOutputOptions output;
  std::uint32_t kept_folders = 100;  // of rooms that have ended: see Launch::keep_folder
  UserRange users;                   // that rooms have each for its own
  std::vector<RoomLimits> limits;    // that games will be started with, as far as it is known
  std::string engine_socket = "/var/run/docker.sock";  // of the engine that runs containers
  KubernetesOptions kubernetes;
  std::uint16_t first_port = 0;  // that rooms have on the nodes of a cluster
  std::uint16_t last_port = 0;
  std::size_t most_ports = 1;        // of one room, as far as it is known
  std::vector<std::string> images;   // that containers will be made of, as far as it is known
  std::vector<std::string> fleets;   // that games will take servers of, likewise
  std::uint32_t starts_at_once = 0;  // games on their way at a time; 0: twice the cores
};

}  // namespace fixkeep::worker
