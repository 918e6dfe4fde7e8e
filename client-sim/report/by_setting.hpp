// Runs by their settings: another arrival of the players or another distance between the nodes.
//
// Thread rule: values and free functions without state.
#pragma once

#include <string>
#include <vector>

#include "client-sim/report/results.hpp"
#include "client-sim/report/table.hpp"

namespace fixkeep::client_sim {

struct SettingGroup {
  std::string arrival;
  std::string one_way;  // "20 ms", "zones"; empty if it is not known
  std::vector<RunResult> runs;
};

// In the order of their first run.
[[nodiscard]] std::vector<SettingGroup> by_setting(const std::vector<RunResult>& runs);

// The title tells a group from the others: "burst, 20 ms one way". Empty if there is only one.
[[nodiscard]] std::string title_of(const SettingGroup& group,
                                   const std::vector<SettingGroup>& groups);

// Whether a strategy has several runs in one setting.
[[nodiscard]] bool has_repeated_runs(const std::vector<SettingGroup>& groups);

// Stacks the tables that `make` returns for each group. Columns after the first name the setting:
// the runner if rooms were no processes, the arrival if there are several, the distance if nodes
// were apart in any run.
[[nodiscard]] Table table_by_setting(const std::vector<SettingGroup>& groups,
                                     Table (*make)(const std::vector<RunResult>&));

}  // namespace fixkeep::client_sim
