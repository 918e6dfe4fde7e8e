// Checks this machine for the programs, folders and users that entries of games name.
//
// Values with placeholders are known only when a room is ordered. They are left out. The worker
// looks for a program as at the game's start. It then looks as the game's user if it may become
// that user.
//
// Thread rule: free functions. Bounds: one look for each name. A look at a user may take as long as
// the machine's directory of users. Errors: config::Problems. An entry with a problem in `known` is
// not judged.
#pragma once

#include "common/config/loader.hpp"

namespace fixkeep::worker {

// Checks `command` of each entry. A start logs these by itself.
void check_programs_of_games(const config::Document& document, const config::Problems& known,
                             config::Problems& problems);
// Checks working_folder, user, group and the commands of `stop` and probes.
void check_needs_of_games(const config::Document& document, const config::Problems& known,
                          config::Problems& problems);

}  // namespace fixkeep::worker
