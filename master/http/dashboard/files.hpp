// The built-in files of the dashboard: GET / and the files that it asks for.
// Thread rule: any thread. Errors: none.
#pragma once

#include "master/http/call.hpp"

namespace fixkeep::master {

// The rows of "/", "/dashboard.css", "/state.js" and so on.
[[nodiscard]] const net::Routes<ApiHandler>& dashboard_routes();

}  // namespace fixkeep::master
