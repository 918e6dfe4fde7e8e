// Groups runs by their settings: the arrival of the players and the distance between the nodes.
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
  std::string one_way;  // "20 ms", "zones"; empty if unknown
  std::vector<RunResult> runs;
};

// Returns the groups in the order of their first runs.
[[nodiscard]] std::vector<SettingGroup> by_setting(const std::vector<RunResult>& runs);

// Returns a title that distinguishes the group, for example "burst, 20 ms one way". Empty if there
// is only one group.
[[nodiscard]] std::string title_of(const SettingGroup& group,
                                   const std::vector<SettingGroup>& groups);

// Returns true if a strategy has several runs in one setting.
[[nodiscard]] bool has_repeated_runs(const std::vector<SettingGroup>& groups);

// Joins the tables that `make` returns for each group, one below another. After the first column,
// extra columns show the setting: the runner if rooms of a run were containers, the arrival if
// there are several arrivals, the distance if a run had a distance between its nodes.
[[nodiscard]] Table table_by_setting(const std::vector<SettingGroup>& groups,
                                     Table (*make)(const std::vector<RunResult>&));

}  // namespace fixkeep::client_sim
