// The pools of a master as a member of its feed's texts. Also the rules that a picture of them
// needs. docs/api.md explains each key.
//
// Thread rule: free functions. Bounds: their arguments'. Errors: none.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "common/base/time.hpp"
#include "master/http/feed/pool_watch.hpp"
#include "master/rules/plan/rules.hpp"

namespace fixkeep::master {

// {"pools":[…]}. `steady_zero_ms`: since 1970, when the steady clock was 0.
[[nodiscard]] std::string pools_json(const std::vector<ModePools>& modes,
                                     std::int64_t steady_zero_ms);

// A picture shows by these rules the claims that could play together by their numbers alone.
[[nodiscard]] nlohmann::json rules_json(const plan::Rules& rules);

}  // namespace fixkeep::master
