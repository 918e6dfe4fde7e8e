// A Launch contains everything that a runner needs to start the game of one room.
//
// The description of a mode's game contains a Launch as a template: its texts have placeholders,
// and the room's own fields are empty.
// Thread rule: a value. Bounds: those of the configuration.
// Errors: none.
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
  std::string user;                   // name of the game's user; empty: the worker's user
  std::string group;                  // empty: the user's own group
  std::uint32_t neighbour_ports = 0;  // number of ports directly after the players' port
  ContainerOptions container;
  PodOptions pod;
  std::vector<std::string> fleets;  // fleets with servers for the game, in the order of requests
  int stop_signal = SIGTERM;
  std::vector<std::string> stop_command;  // empty: `stop_signal` is used
  std::vector<std::string> list_command;  // prints the running games, if the runner cannot see them
  // Time limit of each command of a hook: of the start command, the stop command and the list
  // command. It only ends commands that hang: services answer within seconds.
  std::chrono::milliseconds command_limit = std::chrono::minutes{1};
  std::string name;     // unique among all rooms of all workers
  std::string object;   // object_name(): the game's name in an engine
  CreationId creation;  // id of the room's order
  // If Traits::wants_ports is true: the room's ports on this machine. Otherwise: the place of an
  // adopted game; empty: not known.
  wire::RoomPlace place;
  bool follow = false;                // the game's output is followed from the beginning
  std::chrono::milliseconds alone{};  // how long the game may run without a living worker
  std::chrono::milliseconds grace{};  // after `alone`: time for the game to end by itself
  std::chrono::milliseconds boot_timeout = std::chrono::seconds{30};  // the mode's boot timeout
  std::string note;  // first RoomNotes::note(), written before the game starts; empty: none
  // Sockets that must outlive the worker. The caller owns these sockets and keeps them open until
  // the game has begun or ended.
  std::vector<int> listeners;
  // The runner listens at these ports of the game's own loopback device as soon as that device
  // exists. It passes the sockets to Handlers::listens.
  std::vector<std::uint16_t> listen_inside;
};

}  // namespace fixkeep::worker
