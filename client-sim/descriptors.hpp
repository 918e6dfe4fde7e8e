// Decides whether a load fits the descriptor limit of this process. Each present player holds one:
// first to its master and then to its room.
//
// Thread rule: free functions without state but the limit of the process. Errors: a text with the
// remedy.
#pragma once

#include <cstddef>
#include <string>

#include "client-sim/options.hpp"

namespace fixkeep::client_sim {

// The most players at one time: all of them if players do not leave. Otherwise chance decides and
// this is very likely more.
[[nodiscard]] std::size_t players_at_once(const Options& options);

// Our own beside the players' descriptors: queries of the masters and links to started processes.
inline constexpr std::size_t own_descriptors = 100;

// Says what is wrong if `limit` descriptors are all that there are; empty if they are enough.
[[nodiscard]] std::string lack_of_descriptors(std::size_t players, std::size_t limit);

// Raises the limit as far as the load needs it and the system allows. The hard one is raised too
// where we may (CAP_SYS_RESOURCE). Returns what is wrong.
[[nodiscard]] std::string make_room_for(const Options& options);

}  // namespace fixkeep::client_sim
