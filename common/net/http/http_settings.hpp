// The keys of listeners in the settings of masters and workers.
// Thread rule: free functions. Bounds: those of the keys. Errors: none.
#pragma once

#include "common/config/fields.hpp"
#include "common/net/http/operators.hpp"

namespace fixkeep::net {

// Describes the section `http` (the listener for players). A master adds further keys to it.
void describe_http(config::Fields& fields, HttpOptions& http);
// Describes the section `admin` (the listener for operators).
void describe_admin(config::Fields& fields, AdminOptions& admin, std::string_view port_text);

}  // namespace fixkeep::net
