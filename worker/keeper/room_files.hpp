// The files of a running room: a folder with the keeper's socket, the record and the game's own
// folder.
//
//   STATE/rooms/w1-5f3a9c0211d2e4b7-12/
//     control   the keeper listens here
//     ended     how the game ended, see worker/keeper/protocol.hpp
//     cgroups   the folders of its control group, one a line; only an older worker writes it
//     game/     the game's own: HOME, world, saves
//
// The keeper makes all these files (place.hpp) and the worker removes them. Thread rule: a value.
// Bounds: the system's limit of a path. A socket's path has at most 107 bytes, so the socket is
// opened through its folder. Errors: none.
#pragma once

#include <string>

namespace fixkeep::worker {

struct RoomFiles {
  std::string folder;

  [[nodiscard]] std::string control() const { return folder + "/control"; }
  [[nodiscard]] std::string record() const { return folder + "/ended"; }
  [[nodiscard]] std::string cgroups() const { return folder + "/cgroups"; }
  [[nodiscard]] std::string game() const { return folder + "/game"; }
};

}  // namespace fixkeep::worker
