// The worker's order of a container, and the container that the engine shows.
//
// Thread rule: values. Bounds: those of the configuration and an engine's answer. Errors: none.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "worker/keeper/room_limits.hpp"

namespace fixkeep::worker::containers {

// A worker recognizes its own containers by these labels. No two containers have the same four
// labels.
struct Labels {
  std::string cluster;
  std::string worker;
  std::string room;      // unique among all rooms of all workers
  std::string creation;  // CreationId of the room

  friend bool operator==(const Labels&, const Labels&) = default;
};

// The room's own folder is in a volume, which is removed with the container. Any user of the image
// may write to the folder, even if the rest is read-only. The volume's own rights cannot be set, so
// the room gets a folder inside the volume.
inline constexpr std::string_view room_volume = "/fixkeep";
inline constexpr std::string_view room_folder = "/fixkeep/room";

// The engine listens at the machine's port and forwards connections to the container's port.
struct PublishedPort {
  std::uint16_t machine = 0;
  std::uint16_t container = 0;
};

enum class Network : std::uint8_t { bridge, host };

struct ContainerOrder {
  std::string name;  // unique: the engine refuses a second container of this name
  Labels labels;
  std::string image;
  std::vector<std::string> command;      // empty: the image's own command
  std::vector<std::string> environment;  // "NAME=value"
  std::string working_folder;            // empty: the image's own folder
  std::string user;                      // empty: the image's own user
  Network network = Network::bridge;
  std::vector<PublishedPort> ports;  // each for TCP and UDP; empty on the machine's own network
  std::string published_at;          // an address of the machine; empty: all addresses
  RoomLimits limits;
  bool read_only = false;  // the whole file system except /tmp
  bool terminal = false;
  std::uint32_t log_bytes = 0;  // most bytes of output that the engine keeps; 0: none
};

enum class ContainerState : std::uint8_t {
  created,
  running,
  exited,
  removing,
  unknown,  // not clear from a list: a look is needed
};

struct Container {
  std::string id;
  std::string name;
  Labels labels;
  ContainerState state = ContainerState::created;
  int process = 0;  // on the engine's machine; 0: none
  int exit_code = 0;
  bool out_of_memory = false;
  std::string error;  // why the engine could not start the container
  // The address of the SDK, which the game finds in its environment.
  std::string sdk_host;
  std::vector<std::uint16_t> sdk_ports;
  bool has_own_network = false;
};

}  // namespace fixkeep::worker::containers
