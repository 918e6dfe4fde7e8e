// Reduces a master's numbers of links and HTTP connections to the available descriptors.
//
// Thread rule: a free function; call it before anything is opened. Errors: a limit that is too low,
// as text.
#pragma once

#include <cstddef>
#include <string>

#include "master/shell/settings.hpp"

namespace fixkeep::master {

// Lowers http.connections and the number of links if they do not fit, with a warning for each.
// Lowers other numbers without a warning. If `limit` is too low for links to the other masters and
// a few more connections, returns an error text. Otherwise returns nothing.
[[nodiscard]] std::string fit_descriptors(Settings& settings, std::size_t limit);

}  // namespace fixkeep::master
