// Checks rules for mistakes that concern several fields (examples: rules_file.hpp).
// Thread rule: a free function. Errors: Problems, each with the needed change.
#pragma once

#include <string>

#include "common/config/document.hpp"

namespace fixkeep::master {

// `mode`: the key of a mode with rules or rules_shadow, for example "modes[0]"; empty: the document
// is the mode. REQUIRES: the document fits the schema and contains its defaults.
void check_rules(const config::Document& document, const std::string& mode,
                 config::Problems& problems);

}  // namespace fixkeep::master
