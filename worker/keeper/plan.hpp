// A keeper receives one Plan before it starts the game. The worker passes it as text in a memory
// file, because the environment of a game contains secrets.
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
  GameProgram game;        // the working folder is a path too; empty: /
  std::string place;       // the room's folder, see room_files.hpp
  std::string own_folder;  // the game's folder; removed with its content, see `game.keep_folder`
  bool follow = false;     // send all output to the worker, as after Word::follow
  // A command that runs beside the game until the room ends, as the keeper's user. It gets no
  // environment, and its output is discarded. If it ends, it is started again. Empty: none.
  std::vector<std::string> beside;
  std::uint16_t beside_port = 0;  // the keeper listens here; standard input of `beside`

  // The user of the game and its commands; nullopt: the keeper's user.
  struct User {
    uid_t user = 0;
    gid_t group = 0;
    std::vector<gid_t> groups;  // supplementary groups

    friend bool operator==(const User&, const User&) = default;
  };
  std::optional<User> user;

  std::vector<std::string> cgroup;  // control group's folders; the keeper makes and removes them

  std::string output;              // the file for the game's output; empty: not kept
  std::uint32_t output_bytes = 0;  // most bytes in `output`, and most bytes written in a second
  std::string record;  // the file for the last packet, see protocol.hpp; empty: not kept

  // The game is allowed to run this long without a connected worker. 0: the game ends when the
  // keeper notices that the worker is gone.
  std::chrono::milliseconds alone{};
  std::chrono::milliseconds grace{};  // after `alone`: time from SIGTERM to SIGKILL

  friend bool operator==(const Plan&, const Plan&) = default;
};

[[nodiscard]] std::string to_text(const Plan& plan);
[[nodiscard]] std::optional<Plan> to_plan(std::string_view text);

}  // namespace fixkeep::worker::keeper
