// fixkeepctl watch: the events of a cluster as one master sees them. Each has a line.
//
// Thread rule: one thread. Bounds: see NodeClient; a lost link is made again once a second for a
// minute. Errors: one sentence on `err` and exit code 1.
#pragma once

#include "ctl/cluster/access.hpp"

namespace fixkeep::ctl {

void add_watch(CLI::App& app, Run& run);

// "10:00:00.123 lock-acquired group=duel/region=eu token=7.m1"; text from outside is made harmless.
[[nodiscard]] std::string line_of(const nlohmann::ordered_json& event);

}  // namespace fixkeep::ctl
