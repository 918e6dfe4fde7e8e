// The options of `locks` beside those it shares with compare.
//
// Thread rule: values and free functions without state.
#pragma once

#include <cstdint>

#include "lab/locks/bench.hpp"

namespace CLI {
class App;
}

namespace fixkeep::client_sim {

struct LocksOptions {
  LocksBenchOptions measured;
  std::uint32_t rounds = 3;
  std::uint32_t lease_ms = 5000;  // a master's default; the cost of a killed holder
  bool burst = true;              // the burst of the main job, for each strategy and seed
  bool tls = false;  // the links of the locks that are measured alone have certificates
  bool quick = false;
};

void add_locks_options(CLI::App& command, LocksOptions& options);

// Fewer and shorter of everything that was not given on the command line.
void make_quick(LocksOptions& options, const CLI::App& command);

}  // namespace fixkeep::client_sim
