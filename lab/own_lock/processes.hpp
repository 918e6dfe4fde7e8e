// Runs a trial with real processes.
//
// Thread rule: call from the only thread of a process; blocks until the trial is over. Bounds: the
// trial's length, outage and start limit. Errors: TrialResult::failure, in words.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "client-sim/interruption.hpp"
#include "lab/own_lock/trial.hpp"

namespace fixkeep::own_lock {

struct TrialResult {
  Fault fault = Fault::none;
  std::uint64_t seed = 1;
  Figures figures;
  Complaints strange;   // lines that were not understood
  Complaints errors;    // answers "error"
  std::string failure;  // empty: the trial went to its end
  bool interrupted = false;
  std::vector<nlohmann::ordered_json> events;
};

// `command` is the program of one node with its arguments. The nodes' standard error is written to
// files in `folder`.
[[nodiscard]] TrialResult run_trial(const TrialOptions& options,
                                    const std::vector<std::string>& command,
                                    const std::filesystem::path& folder,
                                    client_sim::Interruption& interruption);

}  // namespace fixkeep::own_lock
