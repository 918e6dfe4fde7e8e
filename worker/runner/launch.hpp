// A Launch is what a runner has to know to start the game of one room.
//
// The description of a mode's game holds one as its template: its texts have placeholders, and
// what is a room's own is empty.
// Thread rule: a value. Bounds: those of the configuration. Errors: none.
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
  std::string user;   // to run as, by name; empty: the worker's own
  std::string group;  // empty: that of the user
  ContainerOptions container;
  PodOptions pod;
  std::vector<std::string> fleets;  // that have servers for it, the one to ask first
  int stop_signal = SIGTERM;
  std::vector<std::string> stop_command;  // empty: the signal
  std::vector<std::string> list_command;  // for a runner that has to ask what runs
  std::chrono::milliseconds command_limit = std::chrono::seconds{10};  // of those two and the start

  // --- the room's own
  std::string name;     // of the room, in all runs of all workers
  std::string object;   // by object_name(): what engines know the game by
  CreationId creation;  // the order that it carries out
  // Its ports of this machine, of a runner that wants them. Of any other, where a game was that is
  // adopted; empty: it had not said so.
  wire::RoomPlace place;
  bool follow = false;                // what it writes is told, from the first word on
  std::chrono::milliseconds alone{};  // goes on for so long while no worker lives
  std::chrono::milliseconds grace{};  // for it to end by itself, after that
  std::chrono::milliseconds boot_timeout = std::chrono::seconds{30};  // of its mode
  std::string note;  // as by RoomNotes::note(), before it starts; empty: none
  // Sockets that are to outlive the worker. They stay the caller's, which keeps them open until the
  // game has begun or ended.
  std::vector<int> listeners;
  // The runner listens at these ports of the game's own loopback device, as soon as there is one,
  // and hands the sockets over (Handlers::listens).
  std::vector<std::uint16_t> listen_inside;
};

}  // namespace fixkeep::worker
