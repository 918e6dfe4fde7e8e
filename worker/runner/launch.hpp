// A Launch is what a runner has to know to start the game of one room.
// Thread rule: a value. Bounds: those of the configuration. Errors: none.
#pragma once

#include <chrono>
#include <csignal>
#include <cstdint>
#include <string>
#include <vector>

#include "common/base/ids.hpp"
#include "common/wire/room_place.hpp"
#include "worker/keeper/room_limits.hpp"
#include "worker/runner/container_options.hpp"

namespace fixkeep::worker {

// The room's own folder is kept then when the room has ended.
enum class KeepFolder : std::uint8_t { never, if_failed, always };

struct Launch {
  std::string name;                      // of the room, in all runs of all workers
  std::string object;                    // by object_name(): what engines know the game by
  CreationId creation;                   // the order that it carries out
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
  ContainerOptions container;
  // The ports of this machine that the game has, of a runner that wants them.
  wire::RoomPlace place;

  int stop_signal = SIGTERM;
  std::vector<std::string> stop_command;  // empty: the signal
  std::vector<std::string> list_command;  // for a runner that has to ask what runs
  std::chrono::milliseconds command_limit = std::chrono::seconds{10};  // of those two and the start
  bool daemon = false;                // the program may end well and leave the game behind
  bool follow = false;                // what it writes is told, from the first word on
  bool terminal = false;              // it writes to a pseudo-terminal
  std::chrono::milliseconds alone{};  // goes on for so long while no worker lives
  std::chrono::milliseconds grace{};  // for it to end by itself, after that
  std::string note;                   // as by RoomNotes::note(), before it starts; empty: none
  // Sockets that are to outlive the worker. They stay the caller's, which keeps them open until the
  // game has begun or ended.
  std::vector<int> listeners;
};

}  // namespace fixkeep::worker
