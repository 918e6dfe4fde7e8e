// Options of compare that make nodes fail under load: a node is stopped, killed or cut off, and
// later returns.
//
// Thread rule: values and free functions. Errors: a text with the correction.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace CLI {
class App;
}

namespace fixkeep::client_sim {

// Times are in milliseconds. If the length of a fault is 0, it does not happen.
struct FaultOptions {
  std::uint32_t stop_worker_ms = 0;       // how long the first worker is stopped
  std::uint32_t stop_worker_at_ms = 200;  // from the start of the load to the stop
  std::uint32_t stop_master_ms = 0;       // how long the first master is stopped
  std::uint32_t kill_master_ms = 0;       // time from the first master's kill to its restart
  std::uint32_t cut_master_ms = 0;        // time without messages to or from the first master
  std::uint32_t master_fault_at_ms = 2000;

  [[nodiscard]] bool of_a_master() const {
    return stop_master_ms > 0 || kill_master_ms > 0 || cut_master_ms > 0;
  }
};

void add_worker_fault_options(CLI::App& command, FaultOptions& options);
// Adds the options for faults of masters. These options need a mode with its own judge
// (own_mode.hpp).
void add_master_fault_options(CLI::App& command, FaultOptions& options);

[[nodiscard]] std::string check_master_faults(const FaultOptions& options, std::size_t masters);

}  // namespace fixkeep::client_sim
