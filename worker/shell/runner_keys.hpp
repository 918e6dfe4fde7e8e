// Checks whether the runner of a worker's games supports the keys of the configuration.
//
// Thread rule: free function. Bounds: none. Errors: config::Problems of each key that is missing or
// unsupported.
#pragma once

#include "common/config/loader.hpp"

namespace fixkeep::worker {

// Reports each missing key that the runner needs. Also reports each use of a feature that the
// runner lacks, such as a probe by command or by line, a placeholder of the place, users of rooms.
// The schema refuses keys of other runners.
void check_runner_keys(const config::Document& document, config::Problems& problems);

}  // namespace fixkeep::worker
