// A Plan is what a keeper is told once, before it starts the game: a text that the worker hands it
// as a file in memory, since the environment of a game holds secrets.
//
// Thread rule: values and free functions without state. Bounds: those of the configuration. Errors:
// a text that is no plan is none.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "worker/keeper/room_limits.hpp"

namespace fixkeep::worker::keeper {

// It says what becomes of the room's own folder when the game has ended.
enum class Keep : std::uint8_t {
  never = 0,
  if_failed = 1,  // it ended otherwise than well, and nobody had asked it to end
  always = 2,
};

struct Plan {
  std::string program;                   // a path
  std::vector<std::string> arguments;    // with the name of the program first
  std::vector<std::string> environment;  // "NAME=value", all there is
  std::string working_folder;            // where the game runs; empty: /
  std::string place;                     // the room's folder, see room_files.hpp
  std::string own_folder;                // the game's; removed with all that is in it, see `keep`
  Keep keep = Keep::always;
  bool daemon = false;  // the program may end well and leave the game behind: it ends with the last
  bool follow = false;  // as by Word::follow, from its first word on
  bool terminal =
      false;  // the game writes to a pseudo-terminal, and so line by line, not to a pipe

  // The game and the commands for it run as this user; nothing: as that of the keeper.
  struct User {
    uid_t user = 0;
    gid_t group = 0;
    std::vector<gid_t> groups;  // supplementary ones

    friend bool operator==(const User&, const User&) = default;
  };
  std::optional<User> user;

  struct File {
    std::string path;  // below `own_folder`, without ".."
    std::string text;

    friend bool operator==(const File&, const File&) = default;
  };
  std::vector<File> files;          // written before the game starts
  std::uint64_t open_files = 0;     // most descriptors; 0: as the keeper may have
  std::vector<std::string> cgroup;  // its folders, see cgroup.hpp; made, and removed at the end
  RoomLimits limits;                // of that group

  std::string output;              // the file for what the game writes; empty: none is kept
  std::uint32_t output_bytes = 0;  // most of that file, and of what is written to it in a second
  std::string record;              // the file for the last packet, see protocol.hpp; empty: none

  // The game may go on for so long while no worker is connected; 0: it ends as soon as that is
  // noticed.
  std::chrono::milliseconds alone{};
  std::chrono::milliseconds grace{};  // then: from SIGTERM to SIGKILL

  friend bool operator==(const Plan&, const Plan&) = default;
};

[[nodiscard]] std::string to_text(const Plan& plan);
[[nodiscard]] std::optional<Plan> to_plan(std::string_view text);

}  // namespace fixkeep::worker::keeper
