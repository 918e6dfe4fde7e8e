// The options of `fixkeep-lab locks` that `compare` does not have.
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
  std::uint32_t lease_ms = 5000;  // a master's default; decides the cost of a kill
  bool burst = true;              // run the main job's burst for each strategy and seed
  bool tls = false;               // use certificates between lock nodes
  bool quick = false;
};

void add_locks_options(CLI::App& command, LocksOptions& options);

// Reduces counts and times that were not given on the command line.
void make_quick(LocksOptions& options, const CLI::App& command);

}  // namespace fixkeep::client_sim
