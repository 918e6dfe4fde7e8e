// Checks of a master's configuration across fields that concern its peers and its workers.
//
// Thread rule: free functions. Errors: as Problems at the key to change.
#pragma once

#include <string_view>

#include "common/config/loader.hpp"

namespace fixkeep::master {

// modes[].bands: each attribute once and not in modes[].attributes too. Edges ascend.
void check_bands(const config::Document& document, config::Problems& problems);

// The collector's address is complete and in plain HTTP.
void check_tracing(const config::Document& document, config::Problems& problems);

// `values` names only attributes of the mode and lists only values that a request can send.
void check_values(const config::Document& document, config::Problems& problems);

// Rules that widen are right. Masters can plan for all of them.
void check_rules_of_modes(const config::Document& document, config::Problems& problems);

// Modes with codes of rooms need a secret of the cluster. `secret` may be empty.
void check_codes(const config::Document& document, std::string_view secret,
                 config::Problems& problems);

// No more warm rooms are wanted at the least than at the most.
void check_warm(const config::Document& document, config::Problems& problems);

}  // namespace fixkeep::master
