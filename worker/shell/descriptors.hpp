// Lowers a worker's limits of rooms and HTTP connections to the available descriptors.
//
// A room needs two descriptors for its keeper (to watch the keeper and to talk to it), one for its
// note, and the descriptors of its SDK's listeners and connections. A worker without free
// descriptors must not offer headroom, because its rooms would never open. Descriptors for links to
// masters are reserved first.
//
// Thread rule: free function, before anything is opened. Errors: none if the limit is enough.
#pragma once

#include <cstddef>
#include <string>

#include "worker/sdk/transports.hpp"
#include "worker/shell/settings.hpp"

namespace fixkeep::worker {

// Counts the keeper's process, the connection to it, its note and the transports' descriptors.
inline constexpr std::size_t room_descriptors = 3 + transport_descriptors();

// If rooms.limit or the operators' connections do not fit, lowers them (rooms.limit with a
// warning). Returns an empty text, or an error if `limit` is too low for the links and one room.
[[nodiscard]] std::string fit_descriptors(Settings& settings, std::size_t limit);

}  // namespace fixkeep::worker
