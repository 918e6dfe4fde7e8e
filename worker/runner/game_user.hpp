// The users that games run as by their names in a configuration.
//
// Thread rule: free functions. Bounds: a look-up may take as long as the machine's directory of
// users. Errors: returned with a sentence.
#pragma once

#include <optional>
#include <string>
#include <variant>

#include "worker/keeper/plan.hpp"

namespace fixkeep::worker {

// The user and group of these names or numbers with the user's groups. An unknown number is a user
// in the group of that number alone. The text says what is wrong. Nullopt: both names are empty.
[[nodiscard]] std::variant<std::optional<keeper::Plan::User>, std::string> find_user(
    const std::string& user, const std::string& group);
// A room's own user in the named group or alone in the group of its number.
[[nodiscard]] std::variant<std::optional<keeper::Plan::User>, std::string> own_user(
    uid_t user, const std::string& group);

// Why a game of this user can neither enter this folder nor execute this file. Empty: it can or
// this process may not become the user. Asks in a child process that becomes it.
[[nodiscard]] std::string why_no_entry(const keeper::Plan::User& user, const std::string& path);

}  // namespace fixkeep::worker
