// What becomes of a room's files when it has ended, and the users that games run as.
//
// Thread rule: free functions. Bounds: a look-up of a user may take as long as the machine's
// directory of users. Errors: returned, with a sentence.
#pragma once

#include <optional>
#include <string>
#include <variant>

#include "worker/keeper/plan.hpp"
#include "worker/keeper/room_files.hpp"

namespace fixkeep::worker {

// The folder of all rooms. The text says why it cannot be made; empty: it is there.
[[nodiscard]] std::string make_rooms_folder(const std::string& folder);
// All but what the game has left in its own folder and is to be kept.
void remove_room_files(const RoomFiles& files);

// The user and group of these names or numbers, with the groups that the user is in; a number that
// the machine does not know is a user in the group of that number alone. The text says what is
// wrong. Nothing: both names are empty.
[[nodiscard]] std::variant<std::optional<keeper::Plan::User>, std::string> find_user(
    const std::string& user, const std::string& group);
// A room's own user, alone in the group of its number or in the one that is named.
[[nodiscard]] std::variant<std::optional<keeper::Plan::User>, std::string> own_user(
    uid_t user, const std::string& group);

}  // namespace fixkeep::worker
