// A mode of a configuration: an entry of `modes` or a file of configs/matching.
//
// Thread rule: free functions. Bounds: the schema's. Errors: setting_checks.hpp and rules_check.hpp
// have found all mistakes of a configuration before.
#pragma once

#include "common/config/document.hpp"
#include "master/rules/mode.hpp"

namespace fixkeep::master {

// REQUIRES: no problem was found in it.
[[nodiscard]] Mode read_mode(const config::Json& entry);
[[nodiscard]] config::Json to_json(const Mode& mode);

}  // namespace fixkeep::master
