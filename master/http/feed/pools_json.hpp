// Writes the pools of a master for the feed, and the rules of a mode for the dashboard's picture of
// its pools. docs/api-operators.md explains each key.
//
// Thread rule: free functions. Bounds: those of the arguments. Errors: none.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "common/base/time.hpp"
#include "master/http/feed/pool_watch.hpp"
#include "master/rules/plan/rules.hpp"

namespace fixkeep::master {

// Returns {"pools":[…]}. `steady_zero_ms`: the zero of the steady clock, in ms since 1970.
[[nodiscard]] std::string pools_json(const std::vector<ModePools>& modes,
                                     std::int64_t steady_zero_ms);

// Returns the rules for the dashboard's picture of the pools. The picture shows which claims have
// numbers that are close enough for one room.
[[nodiscard]] nlohmann::json rules_json(const plan::Rules& rules);

}  // namespace fixkeep::master
