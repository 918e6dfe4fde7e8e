// fixkeepctl key and token make the proofs of identity that services and players send to a master.
// Thread rule: one thread. Errors: one sentence on `err` and exit code 1.
#pragma once

#include "ctl/cluster/access.hpp"

namespace fixkeep::ctl {

void add_identity(CLI::App& app, Run& run);

}  // namespace fixkeep::ctl
