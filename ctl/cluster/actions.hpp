// fixkeepctl match, drain, resume, close and log: an operator's actions through any master.
// Thread rule: one thread. Errors: one sentence on `err` and exit code 1.
#pragma once

#include "ctl/cluster/access.hpp"

namespace fixkeep::ctl {

void add_actions(CLI::App& app, Run& run);

}  // namespace fixkeep::ctl
