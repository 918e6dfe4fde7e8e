// Finds the users and groups for games by their names in a configuration.
//
// Thread rule: free functions. Bounds: a lookup takes as long as the machine needs to search its
// list of users. Errors: returned as a sentence.
#pragma once

#include <optional>
#include <string>
#include <variant>

#include "worker/keeper/plan.hpp"

namespace fixkeep::worker {

// Finds the user and the group by name or number, and the user's other groups. An unknown user
// number is valid: the user then has only the group with the same number. A returned text is the
// error. Nullopt: both names are empty.
[[nodiscard]] std::variant<std::optional<keeper::Plan::User>, std::string> find_user(
    const std::string& user, const std::string& group);
// Returns a room's own user. The user's only group is the named group; without a name, the group
// with the user's number.
[[nodiscard]] std::variant<std::optional<keeper::Plan::User>, std::string> own_user(
    uid_t user, const std::string& group);

// Says why a game of this user cannot enter the folder or execute the file at `path`. Empty: the
// game can enter and execute, or this process is not allowed to become the user. A child process
// becomes the user and tries.
[[nodiscard]] std::string why_no_entry(const keeper::Plan::User& user, const std::string& path);

}  // namespace fixkeep::worker
