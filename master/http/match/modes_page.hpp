// The page of what players may ask for: the modes of this master, as the body of GET /v1/modes.
//
// Thread rule: a free function. Bounds: the settings, of which it is made once. Errors: none.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "master/rules/mode.hpp"

namespace fixkeep::master {

[[nodiscard]] std::string modes_json(const std::vector<Mode>& modes,
                                     std::chrono::milliseconds longest_wait);

}  // namespace fixkeep::master
