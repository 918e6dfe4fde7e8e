// Checks that a load fits the descriptor limit of this process. Each present player needs one
// descriptor: first for its master, then for its room.
//
// Thread rule: free functions; their only state is the limit of the process. Errors: a text with
// the remedy.
#pragma once

#include <cstddef>
#include <string>

#include "client-sim/options.hpp"

namespace fixkeep::client_sim {

// Returns a bound for the number of players at one time. If players do not leave, the bound is the
// number of all players. Otherwise the true number is random, and very likely below the bound.
[[nodiscard]] std::size_t players_at_once(const Options& options);

// Descriptors for everything except players: requests to the masters, pipes to started processes.
inline constexpr std::size_t own_descriptors = 100;

// Returns the mistake if `limit` descriptors are not enough, otherwise nothing.
[[nodiscard]] std::string lack_of_descriptors(std::size_t players, std::size_t limit);

// Raises the limit to the number of descriptors that the load needs, or as far as the system
// allows. With CAP_SYS_RESOURCE it also raises the hard limit. Returns the mistake, if any.
[[nodiscard]] std::string make_room_for(const Options& options);

}  // namespace fixkeep::client_sim
