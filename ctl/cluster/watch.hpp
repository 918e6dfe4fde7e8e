// fixkeepctl watch prints the events of a cluster, as one master reports them, each event on its
// own line.
//
// Thread rule: one thread. Bounds: see NodeClient; after the loss of a connection, the command
// reconnects each second for a minute. Errors: one sentence on `err` and exit code 1.
#pragma once

#include "ctl/cluster/access.hpp"

namespace fixkeep::ctl {

void add_watch(CLI::App& app, Run& run);

// Returns for example "10:00:00.123 lock-acquired group=duel/region=eu token=7.m1". Foreign text is
// escaped.
[[nodiscard]] std::string line_of(const nlohmann::ordered_json& event);

}  // namespace fixkeep::ctl
