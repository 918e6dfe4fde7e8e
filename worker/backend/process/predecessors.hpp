// What an earlier run of this worker, or a keeper that was killed, has left on the machine.
//
// Thread rule: free functions; they block until what they end is gone, at most `predecessor_limit`.
// Bounds: the rooms that the folder names. Errors: logged; what cannot be ended stays, and so does
// its folder.
#pragma once

#include <chrono>
#include <string>

namespace fixkeep::worker {

inline constexpr std::chrono::milliseconds predecessor_limit{10'000};

// Tells all keepers that have their sockets in folders of `rooms` to end what they hold, waits for
// it, and removes the folders.
void end_predecessors(const std::string& rooms);

// Kills all processes that were started for the room of this name, which they have in their
// environment.
void end_strays(const std::string& room);

}  // namespace fixkeep::worker
