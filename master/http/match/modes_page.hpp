// The body of GET /v1/modes: the modes that players may request, and the addresses for latency
// measurements.
//
// Thread rule: free functions. Bounds: the configured modes (their part of the page is made once),
// and `pings_of_zone` workers in each zone. Errors: those of the view.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

#include "master/http/view/directory_view.hpp"
#include "master/rules/mode.hpp"

namespace fixkeep::master {

[[nodiscard]] std::string modes_json(const std::vector<Mode>& modes,
                                     std::chrono::milliseconds configured_wait);

// A zone's workers are near each other, so more measurements are useless.
inline constexpr std::size_t pings_of_zone = 3;

// Returns the page: `modes` and the workers that answer pings now.
[[nodiscard]] sync::LockResult<std::string> modes_page(const std::string& modes,
                                                       const DirectoryView& view);

}  // namespace fixkeep::master
