// Releases servers when the worker ends, and waits for it.
//
// Thread rule: free function; it blocks. Bounds: it begins nothing after `limit`. Fault model: that
// of the API. Errors: the number of servers that may be left.
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
  // It is asked of each that has the owner's labels and is not free; the others stay.
  std::function<bool(const FleetServer& server)> is_to_go;
  // It goes on looking for so long: a request that was under way may still be carried out.
  std::chrono::milliseconds look_for{0};
  std::chrono::milliseconds limit{10'000};
};

// Returns when none of the servers is there any more; one that is on its way out when the time is
// over counts as released.
[[nodiscard]] std::size_t release_and_wait(const kubernetes::Access& access,
                                           const LastRelease& release);

}  // namespace fixkeep::worker::agones
