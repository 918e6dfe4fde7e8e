// Checks whether the runner of a worker's games supports the keys of the configuration.
//
// Thread rule: free function. Bounds: none. Errors: config::Problems of each key that is missing or
// unsupported.
#pragma once

#include "common/config/loader.hpp"

namespace fixkeep::worker {

// rooms.runner decides whether a game is a command, a hook or fleets. Reports each missing key.
// Keys that only other runners support are problems too, for example a probe by command or by line,
// a folder or a user.
void check_runner_keys(const config::Document& document, config::Problems& problems);

}  // namespace fixkeep::worker
