// The built-in files of the dashboard: GET / and the files that this page loads.
// Thread rule: any thread. Errors: none.
#pragma once

#include "master/http/call.hpp"

namespace fixkeep::master {

// Returns the routes "/", "/dashboard.css", "/state.js" and so on.
[[nodiscard]] const net::Routes<ApiHandler>& dashboard_routes();

}  // namespace fixkeep::master
