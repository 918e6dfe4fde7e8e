// fixkeepctl doctor asks the named nodes for their state and reports what is wrong.
// Thread rule: one thread. Errors: exit code 1 if there is a problem or no node answers.
#pragma once

#include "ctl/cluster/access.hpp"

namespace fixkeep::ctl {

void add_doctor(CLI::App& app, Run& run);

}  // namespace fixkeep::ctl
