// Reads a mode: an entry of `modes` in a configuration, or a file of configs/matching.
//
// Thread rule: free functions. Bounds: the schema's. Errors: none; setting_checks.hpp and
// rules_check.hpp have reported all mistakes before.
#pragma once

#include "common/config/document.hpp"
#include "master/rules/mode.hpp"

namespace fixkeep::master {

// REQUIRES: `entry` has no problem.
[[nodiscard]] Mode read_mode(const config::Json& entry);
[[nodiscard]] config::Json to_json(const Mode& mode);

}  // namespace fixkeep::master
