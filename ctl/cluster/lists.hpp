// fixkeepctl rooms, workers, masters, locks: what one master knows, as tables or as JSON.
// Thread rule: one thread. Bounds: 10 000 rooms. Beyond them the table says so. Errors: one
// sentence on `err` and exit code 1.
#pragma once

#include "ctl/cluster/access.hpp"

namespace fixkeep::ctl {

void add_lists(CLI::App& app, Run& run);

}  // namespace fixkeep::ctl
