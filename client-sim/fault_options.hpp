// Options of compare that make nodes fail under load. A node is stopped, killed or cut off and
// comes back.
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

// Times in milliseconds; 0: it does not happen.
struct FaultOptions {
  std::uint32_t stop_worker_ms = 0;       // the first worker is stopped for so long
  std::uint32_t stop_worker_at_ms = 200;  // time after the start of the load
  std::uint32_t stop_master_ms = 0;       // the first master is stopped for so long
  std::uint32_t kill_master_ms = 0;       // it is killed, and started again after so long
  std::uint32_t cut_master_ms = 0;        // no node reaches it, nor it any, for so long
  std::uint32_t master_fault_at_ms = 2000;

  [[nodiscard]] bool of_a_master() const {
    return stop_master_ms > 0 || kill_master_ms > 0 || cut_master_ms > 0;
  }
};

void add_worker_fault_options(CLI::App& command, FaultOptions& options);
// Only a mode with a judge of its own is judged under these (own_mode.hpp).
void add_master_fault_options(CLI::App& command, FaultOptions& options);

[[nodiscard]] std::string check_master_faults(const FaultOptions& options, std::size_t masters);

}  // namespace fixkeep::client_sim
