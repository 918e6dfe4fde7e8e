// fixkeepctl doctor: asks the nodes that are named for what they are, and says what does not fit.
// Thread rule: one thread. Errors: exit code 1 if there is a problem, or if nobody answers.
#pragma once

#include "ctl/cluster/access.hpp"

namespace fixkeep::ctl {

void add_doctor(CLI::App& app, Run& run);

}  // namespace fixkeep::ctl
