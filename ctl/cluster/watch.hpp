// fixkeepctl watch: what happens in a cluster, as one master sees it, a line for each event.
//
// Thread rule: one thread. Bounds: those of NodeClient; a link that is lost is made again once a
// second, a minute long. Errors: one sentence on `err`, and exit code 1.
#pragma once

#include "ctl/cluster/access.hpp"

namespace fixkeep::ctl {

void add_watch(CLI::App& app, Run& run);

// "10:00:00.123 lock-acquired group=duel/region=eu token=7.m1"; what came from outside is harmless.
[[nodiscard]] std::string line_of(const nlohmann::ordered_json& event);

}  // namespace fixkeep::ctl
