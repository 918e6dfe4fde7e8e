// Fits the numbers of links and HTTP connections of a master to the available descriptors.
//
// Thread rule: free function before anything is opened. Errors: a limit that is too low.
#pragma once

#include <cstddef>
#include <string>

#include "master/shell/settings.hpp"

namespace fixkeep::master {

// Lowers http.connections and the links where they do not fit, with a warning for each. Lowers
// other numbers without a warning. Not empty: `limit` cannot even hold the other masters and a few
// connections. The text says so.
[[nodiscard]] std::string fit_descriptors(Settings& settings, std::size_t limit);

}  // namespace fixkeep::master
