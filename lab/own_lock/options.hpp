// The options of `fixkeep-lab lock`.
//
// Thread rule: values and free functions without state.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lab/own_lock/trial.hpp"

namespace CLI {
class App;
}

namespace fixkeep::client_sim {

struct OwnLockOptions {
  std::vector<std::string> program;  // the program and its arguments
  std::string name;                  // shown in tables; by default the program's file name
  std::string servers;               // "", "redis", "redlock", "etcd", "zookeeper", "postgres" or
                                     // "kubernetes-lease"
  std::vector<own_lock::Fault> faults;
  std::string history_file;
  std::vector<std::string> earlier_reports;  // their locks come first in the report
  std::uint32_t nodes = 3;
  std::uint32_t keys = 1;
  std::uint32_t rounds = 1;
  double seconds = 10;
  std::uint32_t hold_ms = 50;
  std::uint32_t pause_ms = 20;
  std::uint32_t outage_ms = 4000;
  std::uint32_t delay_ms = 100;
  std::uint64_t seed = 1;
  std::string fault_names = "delay,stop,kill,cut";
};

void add_own_lock_options(CLI::App& command, OwnLockOptions& options);

// Makes the checks that the parser cannot make. Returns the mistake; empty: none.
[[nodiscard]] std::string complete_own_lock(OwnLockOptions& options);

}  // namespace fixkeep::client_sim
