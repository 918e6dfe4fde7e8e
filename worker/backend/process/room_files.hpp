// What a room has on disk while it lives: a folder with its keeper's socket and record, and in it
// the game's own folder.
//
//   STATE/rooms/w1-5f3a9c0211d2e4b7-12/
//     control   the keeper listens here
//     ended     how the game ended, see worker/keeper/protocol.hpp
//     cgroups   the folders of its control group, one a line
//     note      what the worker has noted of it for its next run, see Backend::note
//     game/     the game's own: HOME, world, saves
//
// Thread rule: free functions. Bounds: paths as long as the system takes them; the socket's is
// reached through its folder, since its own bound is 107 bytes. Errors: returned, with a sentence.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "common/base/result.hpp"
#include "worker/backend/launch.hpp"
#include "worker/keeper/plan.hpp"

namespace fixkeep::worker {

struct RoomFiles {
  std::string folder;

  [[nodiscard]] std::string control() const { return folder + "/control"; }
  [[nodiscard]] std::string record() const { return folder + "/ended"; }
  [[nodiscard]] std::string note() const { return folder + "/note"; }
  [[nodiscard]] std::string cgroups() const { return folder + "/cgroups"; }
  [[nodiscard]] std::string game() const { return folder + "/game"; }
};

// The text says what is wrong; empty: nothing.
[[nodiscard]] std::string make_room_files(const RoomFiles& files, const Launch& launch,
                                          const std::optional<keeper::Plan::User>& user);
// All but what the game has left in its own folder and is to be kept.
void remove_room_files(const RoomFiles& files);

// A file for nobody but the worker: it is the new one or the one before, whatever happens
// meanwhile. Errors: those of the system.
[[nodiscard]] Result<void> write_whole(const std::string& path, std::string_view text);
// Nothing: there is none, or it is longer than `longest_note`.
[[nodiscard]] std::optional<std::string> read_note(const RoomFiles& files);
inline constexpr std::size_t longest_note = std::size_t{64} << 20U;

// A socket that listens at the path, or one that is connected to it. Neither blocks.
[[nodiscard]] Result<int> listen_at(const RoomFiles& files);
[[nodiscard]] Result<int> connect_to(const RoomFiles& files);

// The user and group of these names or numbers, with the groups that the user is in; a number that
// the machine does not know is a user in the group of that number alone. The text says what is
// wrong. Nothing: both names are empty.
[[nodiscard]] std::variant<std::optional<keeper::Plan::User>, std::string> find_user(
    const std::string& user, const std::string& group);
// A room's own user, alone in the group of its number or in the one that is named.
[[nodiscard]] std::variant<std::optional<keeper::Plan::User>, std::string> own_user(
    uid_t user, const std::string& group);

}  // namespace fixkeep::worker
