// Waits until a cluster serves.
//
// Thread rule: blocks the calling thread. Bounds: `limit`.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

#include "client-sim/load/api.hpp"

namespace fixkeep::client_sim {

struct Readiness {
  bool ready = false;
  bool interrupted = false;  // SIGINT or SIGTERM
  std::string what_is_missing;
};

// Ready: every master answers /readyz with 200 and lists at least `workers` workers.
[[nodiscard]] Readiness wait_for_readiness(const std::vector<Endpoint>& masters,
                                           std::size_t workers, std::chrono::milliseconds limit);

// True if SIGINT or SIGTERM came within `limit`.
[[nodiscard]] bool wait_for_signal(std::chrono::milliseconds limit);

}  // namespace fixkeep::client_sim
