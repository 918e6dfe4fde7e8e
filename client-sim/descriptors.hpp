// Whether a load fits into the descriptors that this process may open: each player at a time holds
// one, first to its master and then to its room.
//
// Thread rule: free functions without state but the limit of the process. Errors: a text that says
// what to change.
#pragma once

#include <cstddef>
#include <string>

#include "client-sim/options.hpp"

namespace fixkeep::client_sim {

// The most players that are there at one time: all of them, where nobody leaves. While players come
// and go it is chance, and this is more than it will be in all likelihood.
[[nodiscard]] std::size_t players_at_once(const Options& options);

// Our own beside those of the players: the looks at the masters, links to what we have started.
inline constexpr std::size_t own_descriptors = 100;

// Says what is wrong if `limit` descriptors are all that there are; empty if they are enough.
[[nodiscard]] std::string lack_of_descriptors(std::size_t players, std::size_t limit);

// Raises the limit as far as the load needs it and the system allows, the hard one too where we may
// (CAP_SYS_RESOURCE). Returns what is wrong.
[[nodiscard]] std::string make_room_for(const Options& options);

}  // namespace fixkeep::client_sim
