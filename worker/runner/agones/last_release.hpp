// Releases servers when the worker ends, and waits until they are released.
//
// Thread rule: free function; it blocks. Bounds: no call begins after `limit`. Fault model: that of
// the API. Errors: returned as the number of servers that may be left.
#pragma once

#include <chrono>
#include <functional>
#include <string>

#include "common/net/kubernetes/access.hpp"
#include "worker/runner/agones/fleet_texts.hpp"

namespace fixkeep::worker::agones {

struct LastRelease {
  std::string space;
  FleetOwner owner;
  // Called for each server with the owner's labels that is not free. Returns whether to release it.
  std::function<bool(const FleetServer& server)> is_to_go;
  // Looks for further servers for this time: a request under way may still take one.
  std::chrono::milliseconds look_for{0};
  std::chrono::milliseconds limit{10'000};
};

// Releases the servers that `is_to_go` accepts. Waits until they are gone, at most for `limit`.
// Returns how many may be left. A server that is being removed at the limit counts as released.
[[nodiscard]] std::size_t release_and_wait(const kubernetes::Access& access,
                                           const LastRelease& release);

}  // namespace fixkeep::worker::agones
