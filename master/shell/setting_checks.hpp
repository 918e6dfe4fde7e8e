// Checks across fields of a master's configuration.
//
// Thread rule: free functions. Errors: Problems at the key to change.
#pragma once

#include <string_view>

#include "common/config/loader.hpp"

namespace fixkeep::master {

// modes[].bands: each attribute appears once, and not in modes[].attributes. Edges ascend.
void check_bands(const config::Document& document, config::Problems& problems);

// The collector's address is complete and uses plain HTTP.
void check_tracing(const config::Document& document, config::Problems& problems);

// `values` names only attributes of the mode and lists only values that a request can send.
void check_values(const config::Document& document, config::Problems& problems);

// Rules that widen have no mistakes. Masters can plan for all of these modes.
void check_rules_of_modes(const config::Document& document, config::Problems& problems);

// Modes with room codes need the cluster's secret. `secret` may be empty.
void check_codes(const config::Document& document, std::string_view secret,
                 config::Problems& problems);

// The minimum of warm rooms is not above the maximum.
void check_warm(const config::Document& document, config::Problems& problems);

}  // namespace fixkeep::master
