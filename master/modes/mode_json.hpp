// The keys of a mode: an entry of `modes` in a configuration, or a file of configs/matching.
//
// Thread rule: free functions. Bounds: those of the keys. Errors: none, because
// setting_checks.hpp and rules_check.hpp have already reported all mistakes.
#pragma once

#include <cstdint>
#include <vector>

#include "common/config/fields.hpp"
#include "master/rules/mode.hpp"

namespace fixkeep::master {

void describe(config::Fields& fields, Mode& mode);
// REQUIRES: `entry` has no problem.
[[nodiscard]] Mode read_mode(const config::Json& entry);
[[nodiscard]] config::Json to_json(const Mode& mode);
// Returns a hash of the modes. All masters with these modes have the same hash. The order of the
// modes does not change the hash.
[[nodiscard]] std::uint64_t hash_of(const std::vector<Mode>& modes);
// If a mode has equal rules in `before` and `read`, replaces the object in `read` by the object in
// `before`.
void share_equal_rules(const std::vector<Mode>& before, std::vector<Mode>& read);

}  // namespace fixkeep::master
