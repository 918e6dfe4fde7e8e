// What a backend has to know to start the game of one room.
// Thread rule: a value. Bounds: those of the configuration. Errors: none.
#pragma once

#include <chrono>
#include <csignal>
#include <cstdint>
#include <string>
#include <vector>

namespace fixkeep::worker {

// What is kept of a room's own folder when the room has ended.
enum class KeepFolder : std::uint8_t { never, if_failed, always };

inline constexpr std::uint32_t usual_cpu_weight = 100;

// Of all processes of a room together: see worker/backend/process/room_cgroups.hpp.
struct RoomLimits {
  std::uint64_t memory_mib = 0;  // what the kernel keeps for them in files counts too; 0: no limit
  std::uint32_t processes = 0;   // at a time, a thread counts as one; 0: no limit
  std::uint32_t cpu_weight = usual_cpu_weight;  // 1 to 10000: share of a busy CPU, to others'

  friend bool operator==(const RoomLimits&, const RoomLimits&) = default;
};

struct Launch {
  std::string name;                      // of the room, in all runs of all workers
  std::vector<std::string> command;      // the program, then its arguments; never a shell
  std::vector<std::string> environment;  // "NAME=value", all there will be
  std::string working_folder;            // empty: the room's own

  struct File {
    std::string path;  // below the room's own folder, without ".."
    std::string text;
  };
  std::vector<File> files;  // written before the game starts
  KeepFolder keep_folder = KeepFolder::never;

  std::string user;              // to run as, by name; empty: the worker's own
  std::string group;             // empty: that of the user
  std::uint64_t open_files = 0;  // 0: not limited
  RoomLimits limits;

  int stop_signal = SIGTERM;
  std::vector<std::string> stop_command;  // empty: the signal
  bool daemon = false;                    // the program may end well and leave the game behind
  bool follow = false;                    // what it writes is told, from the first word on
  bool terminal = false;                  // it writes to a pseudo-terminal
  std::chrono::milliseconds alone{};      // goes on for so long while no worker lives
  std::chrono::milliseconds grace{};      // for it to end by itself, after that
  std::vector<int> listeners;  // sockets that are to outlive the worker; they stay the caller's
};

}  // namespace fixkeep::worker
