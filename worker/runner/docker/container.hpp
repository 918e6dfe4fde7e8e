// A container, as it is ordered of an engine and as the engine shows it.
//
// Thread rule: values. Bounds: those of the configuration, and of what an engine's answer may have.
// Errors: none.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "worker/keeper/room_limits.hpp"

namespace fixkeep::worker::docker {

// By these labels a worker knows what is its own. No two containers carry the same four.
struct Labels {
  std::string cluster;
  std::string worker;
  std::string room;      // in all runs of all workers
  std::string creation;  // the order that it carries out

  friend bool operator==(const Labels&, const Labels&) = default;
};

// The room's own folder is in a volume that is removed with its container, and the game may write
// to it even where the rest is read-only. Any user of the image may: hence a folder in the volume,
// whose own rights nobody can set.
inline constexpr std::string_view room_volume = "/fixkeep";
inline constexpr std::string_view room_folder = "/fixkeep/room";

// The engine listens at the machine's port, and hands on what comes to the container's.
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
  std::vector<PublishedPort> ports;  // for TCP and UDP both; none on the machine's own network
  std::string published_at;          // an address of the machine; empty: all of them
  RoomLimits limits;
  std::uint64_t open_files = 0;  // 0: as the engine has it
  bool read_only = false;        // its file system, but for /tmp
  bool terminal = false;
  std::uint32_t log_bytes = 0;  // that the engine keeps of what it writes; 0: none
};

enum class ContainerState : std::uint8_t {
  created,
  running,
  exited,
  removing,
  unknown,  // of a list, which says it in one word: look at it
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
  // Where its environment says that the room's SDK is.
  std::string sdk_host;
  std::vector<std::uint16_t> sdk_ports;
  bool has_own_network = false;
};

}  // namespace fixkeep::worker::docker
