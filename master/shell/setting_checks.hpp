// Checks that concern several fields of a master's configuration.
//
// Thread rule: free functions. Errors: each Problem names the key that must be changed.
#pragma once

#include <string_view>

#include "common/config/loader.hpp"

namespace fixkeep::master {

// Checks modes[].bands: each attribute appears once, and not in modes[].attributes. Edges ascend.
void check_bands(const config::Document& document, config::Problems& problems);

// Checks that the collector's address is complete and uses plain HTTP.
void check_tracing(const config::Document& document, config::Problems& problems);

// Checks that `values` names only attributes of the mode, and only values that a request can send.
void check_values(const config::Document& document, config::Problems& problems);

// Checks that widening rules have no mistakes, and that masters can plan for all modes with such
// rules.
void check_rules_of_modes(const config::Document& document, config::Problems& problems);

// Checks that the cluster has a secret if a mode has room codes. `secret` may be empty.
void check_codes(const config::Document& document, std::string_view secret,
                 config::Problems& problems);

// Checks that the minimum of warm rooms is not above the maximum.
void check_warm(const config::Document& document, config::Problems& problems);

}  // namespace fixkeep::master
