// fixkeepctl rooms, workers, masters and locks show one master's knowledge as tables or as JSON.
// Thread rule: one thread. Bounds: 10 000 rooms. If there are more rooms, a line on `err` says so.
// Errors: one sentence on `err` and exit code 1.
#pragma once

#include "ctl/cluster/access.hpp"

namespace fixkeep::ctl {

void add_lists(CLI::App& app, Run& run);

}  // namespace fixkeep::ctl
