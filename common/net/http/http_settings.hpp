// The keys of listeners in the settings of masters and workers.
// Thread rule: free functions. Bounds: those of the keys. Errors: none.
#pragma once

#include "common/config/fields.hpp"
#include "common/net/http/operators.hpp"

namespace fixkeep::net {

// The keys of the section `http` (the listener for players) that every such listener has.
void describe_http(config::Fields& fields, HttpOptions& http);
// The keys of the section `admin` (the listener for operators).
void describe_admin(config::Fields& fields, AdminOptions& admin, std::string_view port_text);

}  // namespace fixkeep::net
