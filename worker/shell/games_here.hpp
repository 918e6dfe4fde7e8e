// Checks this machine for games: the programs, folders and users that their entries name.
//
// Values with placeholders are known only when a room is ordered, and are left out. The worker
// looks for a program as at the game's start, and then as the game's user, if it may become that
// user.
//
// Thread rule: free functions. Bounds: one look for each name; a look at a user may take as long as
// the machine's directory of users. Errors: config::Problems; an entry with a problem in `known` is
// not judged.
#pragma once

#include "common/config/loader.hpp"

namespace fixkeep::worker {

// Checks `command` of each entry. A start logs these by itself.
void check_programs_of_games(const config::Document& document, const config::Problems& known,
                             config::Problems& problems);
// Checks working_folder, user, group, stop.command and the commands of probes.
void check_needs_of_games(const config::Document& document, const config::Problems& known,
                          config::Problems& problems);

}  // namespace fixkeep::worker
