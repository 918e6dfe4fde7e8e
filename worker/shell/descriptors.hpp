// Fits a worker's numbers of rooms and HTTP connections to the available descriptors.
//
// A room cannot open without its descriptors: two for its keeper (to watch it and to speak to it),
// its note, and the listeners and connections of its SDK. A worker without free descriptors must
// not offer headroom: its rooms would never open. Links to masters are reserved first.
//
// Thread rule: free function, before anything is opened. Errors: none if the limit is enough.
#pragma once

#include <cstddef>
#include <string>

#include "worker/sdk/transports.hpp"
#include "worker/shell/settings.hpp"

namespace fixkeep::worker {

// The keeper's process, the connection to it, its note and the descriptors of the SDK's transports.
inline constexpr std::size_t room_descriptors = 3 + transport_descriptors();

// Lowers rooms.limit (with a warning) and operators' connections if they do not fit. Not empty: the
// text says that `limit` cannot even hold the links and one room.
[[nodiscard]] std::string fit_descriptors(Settings& settings, std::size_t limit);

}  // namespace fixkeep::worker
