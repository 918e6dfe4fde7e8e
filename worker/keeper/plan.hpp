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

#include "worker/keeper/game_program.hpp"

namespace fixkeep::worker::keeper {

struct Plan {
  std::string program;     // a path, of what `game.command` names
  GameProgram game;        // its working folder is a path as well; empty: /
  std::string place;       // the room's folder, see room_files.hpp
  std::string own_folder;  // the game's; removed with all that is in it, see `game.keep_folder`
  bool follow = false;     // as by Word::follow, from its first word on

  // The game and the commands for it run as this user; nothing: as that of the keeper.
  struct User {
    uid_t user = 0;
    gid_t group = 0;
    std::vector<gid_t> groups;  // supplementary ones

    friend bool operator==(const User&, const User&) = default;
  };
  std::optional<User> user;

  std::vector<std::string> cgroup;  // its folders, see cgroup.hpp; made, and removed at the end

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
