// A GameProgram is the game program of a room: a command and its surroundings.
//
// Each field has one name from the configuration of a mode to the process. A mode's template has it
// with placeholders (worker/shell/game_description.hpp). A launch has it filled in
// (worker/runner/launch.hpp). A keeper is told it (plan.hpp).
// Thread rule: values. Bounds: set by the configuration. Errors: none.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "worker/keeper/room_limits.hpp"

namespace fixkeep::worker {

// Says whether the room's own folder is kept when the game has ended.
enum class KeepFolder : std::uint8_t {
  never = 0,
  if_failed = 1,  // it failed, and was not asked to end
  always = 2,
};

struct GameFile {
  std::string path;  // below the room's own folder, without ".."
  std::string text;

  friend bool operator==(const GameFile&, const GameFile&) = default;
};

struct GameProgram {
  std::vector<std::string> command;      // the program, then its arguments; never a shell
  std::vector<std::string> environment;  // "NAME=value", the whole environment
  std::string working_folder;            // empty: the room's folder
  std::vector<GameFile> files;           // written before the game starts
  KeepFolder keep_folder = KeepFolder::never;
  RoomLimits limits;
  bool daemon = false;    // it may end well and leave the game behind, which ends with the last
  bool terminal = false;  // it writes to a pseudo-terminal, so line by line, instead of a pipe

  friend bool operator==(const GameProgram&, const GameProgram&) = default;
};

}  // namespace fixkeep::worker
