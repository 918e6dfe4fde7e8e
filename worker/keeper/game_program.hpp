// A GameProgram is the game program of a room: a command, and how it is run.
//
// A field has the same name in every place, from a mode's configuration to the process. A mode's
// template has the fields with placeholders (worker/shell/game_description.hpp). In a launch, the
// placeholders are filled in (worker/runner/launch.hpp). A keeper receives the fields in its plan
// (plan.hpp).
// Thread rule: values. Bounds: set by the configuration. Errors: none.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "worker/keeper/room_limits.hpp"

namespace fixkeep::worker {

// Says whether the room's own folder is kept after the game has ended.
enum class KeepFolder : std::uint8_t {
  never = 0,
  if_failed = 1,  // the game failed, and was not asked to end
  always = 2,
};

struct GameFile {
  std::string path;  // below the room's own folder, without ".."
  std::string text;

  friend bool operator==(const GameFile&, const GameFile&) = default;
};

struct GameProgram {
  std::vector<std::string> command;      // the program, then its arguments; run without a shell
  std::vector<std::string> environment;  // "NAME=value", the whole environment
  std::string working_folder;            // empty: the room's folder
  std::vector<GameFile> files;           // written before the game starts
  KeepFolder keep_folder = KeepFolder::never;
  RoomLimits limits;
  bool daemon = false;    // the program may exit with 0; the processes that it leaves are the game
  bool terminal = false;  // writes to a pseudo-terminal instead of a pipe, and thus line by line

  friend bool operator==(const GameProgram&, const GameProgram&) = default;
};

}  // namespace fixkeep::worker
