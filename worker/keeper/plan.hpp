// A keeper is told a Plan once before it starts the game. The worker hands it over as a text in a
// memory file since the environment of a game holds secrets.
//
// Thread rule: values and free functions without state. Bounds: set by the configuration. Errors: a
// malformed text gives nullopt.
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
  std::string program;     // path of the program in `game.command`
  GameProgram game;        // its working folder is a path too; empty: /
  std::string place;       // the room's folder, see room_files.hpp
  std::string own_folder;  // the game's folder; removed with its content, see `game.keep_folder`
  bool follow = false;     // like Word::follow, from the first word on

  // The game and its commands run as this user; nullopt: as the keeper's.
  struct User {
    uid_t user = 0;
    gid_t group = 0;
    std::vector<gid_t> groups;  // supplementary ones

    friend bool operator==(const User&, const User&) = default;
  };
  std::optional<User> user;

  std::vector<std::string> cgroup;  // its folders, see cgroup.hpp; made, and removed at the end

  std::string output;              // the file for the game's output; empty: not kept
  std::uint32_t output_bytes = 0;  // most bytes in that file, and most written to it in a second
  std::string record;  // the file for the last packet, see protocol.hpp; empty: not kept

  // The game may go on this long without a connected worker; 0: it ends as soon as that is noticed.
  std::chrono::milliseconds alone{};
  std::chrono::milliseconds grace{};  // time between SIGTERM and SIGKILL after that

  friend bool operator==(const Plan&, const Plan&) = default;
};

[[nodiscard]] std::string to_text(const Plan& plan);
[[nodiscard]] std::optional<Plan> to_plan(std::string_view text);

}  // namespace fixkeep::worker::keeper
