// Waits until a cluster is ready for requests.
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

struct ReadyWith {
  std::size_t workers = 0;
  std::size_t warm = 0;  // open rooms without a group
};

// Waits until the cluster is ready. `masters`: the masters' listeners for operators. A cluster is
// ready when every master answers /readyz with 200 and lists at least the wanted number of workers
// and warm rooms.
[[nodiscard]] Readiness wait_for_readiness(const std::vector<Endpoint>& masters,
                                           const ReadyWith& wanted, std::chrono::milliseconds limit,
                                           const std::string& token = {});

}  // namespace fixkeep::client_sim
