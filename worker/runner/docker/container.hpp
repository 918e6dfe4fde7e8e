// A container as the worker orders it and as the engine shows it.
//
// Thread rule: values. Bounds: see the configuration and the bounds of an engine's answer. Errors:
// none.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "worker/keeper/room_limits.hpp"

namespace fixkeep::worker::docker {

// By these labels a worker knows its own containers. No two containers have the same four.
struct Labels {
  std::string cluster;
  std::string worker;
  std::string room;      // name in all runs of all workers
  std::string creation;  // its order

  friend bool operator==(const Labels&, const Labels&) = default;
};

// The room's own folder is in a volume that is removed with its container. The game may write to it
// as any user of the image even if the rest is read-only. The volume's own rights cannot be set:
// hence a folder in it.
inline constexpr std::string_view room_volume = "/fixkeep";
inline constexpr std::string_view room_folder = "/fixkeep/room";

// The engine listens at the machine's port and forwards it to the container's.
struct PublishedPort {
  std::uint16_t machine = 0;
  std::uint16_t container = 0;
};

enum class Network : std::uint8_t { bridge, host };

struct ContainerOrder {
  std::string name;  // unique in an engine, which refuses a second one
  Labels labels;
  std::string image;
  std::vector<std::string> command;      // empty: the image's own
  std::vector<std::string> environment;  // "NAME=value"
  std::string working_folder;            // empty: the image's own
  std::string user;                      // empty: the image's own
  Network network = Network::bridge;
  std::vector<PublishedPort> ports;  // each for TCP and UDP; empty on the machine's own network
  std::string published_at;          // an address of the machine; empty: all of them
  RoomLimits limits;
  bool read_only = false;  // its file system, except /tmp
  bool terminal = false;
  std::uint32_t log_bytes = 0;  // most bytes of its output that the engine keeps; 0: no output
};

enum class ContainerState : std::uint8_t {
  created,
  running,
  exited,
  removing,
  unknown,  // a list has one word for it: look at it
};

struct Container {
  std::string id;
  std::string name;
  Labels labels;
  ContainerState state = ContainerState::created;
  int process = 0;  // on the engine's machine; 0: none
  int exit_code = 0;
  bool out_of_memory = false;
  std::string error;  // why the engine could not start it
  // Location of the room's SDK in its environment.
  std::string sdk_host;
  std::vector<std::uint16_t> sdk_ports;
  bool has_own_network = false;
};

}  // namespace fixkeep::worker::docker
