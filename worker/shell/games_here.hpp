// Checks whether this machine has the programs, folders and users in the entries of `games`.
//
// Values with placeholders are skipped: they are known only when a room is ordered. A program is
// searched in the same way as at the game's start. The check runs as the game's user, if the worker
// may become this user.
//
// Thread rule: free functions. Bounds: one lookup for each name. The time for the lookup of a user
// depends on the machine's user directory. Errors: config::Problems. An entry with a problem in
// `known` is skipped.
#pragma once

#include "common/config/loader.hpp"

namespace fixkeep::worker {

// Checks that the programs of `command` and `hook.start` can be executed. A worker checks this
// itself at its start and logs the problems.
void check_programs_of_games(const config::Document& document, const config::Problems& known,
                             config::Problems& problems);
// Checks working_folder, user, group and all other commands: of `stop`, `hook` and probes.
void check_needs_of_games(const config::Document& document, const config::Problems& known,
                          config::Problems& problems);

}  // namespace fixkeep::worker
