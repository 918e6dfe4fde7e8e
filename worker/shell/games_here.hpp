// Games need these of this machine: programs, folders and users that their entries name.
//
// What has a placeholder is known when a room is ordered, and is left out. The worker
// looks for a program as it does when it starts the game, and then as the user of the game, if it
// may become that user.
//
// Thread rule: free functions. Bounds: one look for each name; one at a user may take as long as
// the machine's directory of users. Errors: config::Problems; an entry of which `known` has a
// problem already is not judged.
#pragma once

#include "common/config/loader.hpp"

namespace fixkeep::worker {

// command of each entry. A start tells of these by itself, in the log.
void check_programs_of_games(const config::Document& document, const config::Problems& known,
                             config::Problems& problems);
// working_folder, user, group, stop.command and the commands of probes.
void check_needs_of_games(const config::Document& document, const config::Problems& known,
                          config::Problems& problems);

}  // namespace fixkeep::worker
