// The checks of rules across their fields: see rules_file.hpp.
// Thread rule: a free function. Errors: Problems, each with what to change.
#pragma once

#include "common/config/document.hpp"

namespace fixkeep::master {

// REQUIRES: the schema has been held against the document, and its defaults are filled in.
void check_rules(const config::Document& document, config::Problems& problems);

}  // namespace fixkeep::master
