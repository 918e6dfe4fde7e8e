// A Launch is the information with which a runner starts the game of one room.
//
// The description of a mode's game holds one as its template: its texts have placeholders and the
// room's own fields are empty.
// Thread rule: a value. Bounds: set by the configuration. Errors: none.
#pragma once

#include <chrono>
#include <csignal>
#include <string>
#include <vector>

#include "common/base/ids.hpp"
#include "common/wire/room_place.hpp"
#include "worker/keeper/game_program.hpp"
#include "worker/runner/container_options.hpp"
#include "worker/runner/pod_options.hpp"

namespace fixkeep::worker {

struct Launch {
  GameProgram game;
  std::string user;   // name of the user to run as; empty: the worker's
  std::string group;  // empty: the user's
  ContainerOptions container;
  PodOptions pod;
  std::vector<std::string> fleets;  // fleets with servers for it, in the order of asking
  int stop_signal = SIGTERM;
  std::vector<std::string> stop_command;  // empty: the signal
  std::vector<std::string> list_command;  // used by a runner that has to ask what runs
  std::chrono::milliseconds command_limit = std::chrono::seconds{10};  // also the start command's
  std::string name;     // the room's, in all runs of all workers
  std::string object;   // object_name(): engines know the game by it
  CreationId creation;  // the order of the room
  // Ports of this machine for a runner that wants them. For any other runner: the known place of an
  // adopted game. Empty: not known.
  wire::RoomPlace place;
  bool follow = false;                // its output is told, from the first word on
  std::chrono::milliseconds alone{};  // how long it goes on without a living worker
  std::chrono::milliseconds grace{};  // time to end by itself, after that
  std::chrono::milliseconds boot_timeout = std::chrono::seconds{30};  // the mode's
  std::string note;  // its first RoomNotes::note(), written before it starts; empty: none
  // Sockets that are to outlive the worker. The caller owns them and keeps them open until the game
  // has begun or ended.
  std::vector<int> listeners;
  // The runner listens at these ports of the game's own loopback device as soon as it exists. It
  // hands the sockets over (Handlers::listens).
  std::vector<std::uint16_t> listen_inside;
};

}  // namespace fixkeep::worker
