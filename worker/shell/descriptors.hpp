// Fits the numbers of rooms and HTTP connections of a worker to the descriptors that there are.
//
// A room needs descriptors to be opened at all: one to watch its keeper, one to speak to it, its
// note, the listeners of its SDK and the connections to it. A worker that has none left must not
// offer headroom: what it accepts then never opens. Links to masters are set aside before
// everything.
//
// Thread rule: free function, before anything is opened. Errors: none of a limit that does.
#pragma once

#include <cstddef>
#include <string>

#include "worker/sdk/transports.hpp"
#include "worker/shell/settings.hpp"

namespace fixkeep::worker {

// The keeper's process, the connection to it, the note that it holds, and what the ways to its SDK
// have open.
inline constexpr std::size_t room_descriptors = 3 + transport_descriptors();

// Lowers rooms.limit, with a warning, and operators' connections where they do not fit. Not empty:
// `limit` cannot even hold the links and one room; the text says so.
[[nodiscard]] std::string fit_descriptors(Settings& settings, std::size_t limit);

}  // namespace fixkeep::worker
