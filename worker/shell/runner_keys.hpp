// Which keys of a worker's configuration the runner of its games can do something with.
//
// Thread rule: free function. Bounds: none. Errors: config::Problems, one for each key that the
// runner lacks or could not keep to.
#pragma once

#include "common/config/loader.hpp"

namespace fixkeep::worker {

// A game is a command, a hook or fleets, as rooms.runner has it, with all that this needs and
// nothing that means something for another runner alone: a probe by command or by line, a folder, a
// user.
void check_runner_keys(const config::Document& document, config::Problems& problems);

}  // namespace fixkeep::worker
