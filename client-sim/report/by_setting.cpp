#include "client-sim/report/by_setting.hpp"

#include <algorithm>

namespace fixkeep::client_sim {

namespace {

bool are_apart(const SettingGroup& group) {
  const auto& distances = group.runs.front().distances;
  return distances && longest_one_way_ms(*distances) > 0;
}

bool have_several_arrivals(const std::vector<SettingGroup>& groups) {
  return std::any_of(groups.begin(), groups.end(), [&](const SettingGroup& group) {
    return group.arrival != groups.front().arrival;
  });
}

}  // namespace

std::vector<SettingGroup> by_setting(const std::vector<RunResult>& runs) {
  std::vector<SettingGroup> groups;
  for (const auto& run : runs) {
    auto group = std::find_if(groups.begin(), groups.end(), [&](const SettingGroup& each) {
      return each.arrival == run.arrival && each.runs.front().distances == run.distances;
    });
    if (group == groups.end()) {
      groups.push_back({.arrival = run.arrival,
                        .one_way = run.distances ? label(*run.distances) : std::string{},
                        .runs = {}});
      group = groups.end() - 1;
    }
    group->runs.push_back(run);
  }
  return groups;
}

std::string title_of(const SettingGroup& group, const std::vector<SettingGroup>& groups) {
  if (groups.size() < 2) return {};
  const auto one_way = group.one_way.empty() ? group.one_way : group.one_way + " one way";
  if (!have_several_arrivals(groups)) return one_way;
  const bool several = std::any_of(groups.begin(), groups.end(), [&](const SettingGroup& other) {
    return other.one_way != group.one_way;
  });
  return several && !one_way.empty() ? group.arrival + ", " + one_way : group.arrival;
}

bool has_repeated_runs(const std::vector<SettingGroup>& groups) {
  return std::any_of(groups.begin(), groups.end(), [](const SettingGroup& group) {
    return group.runs.size() > strategies(group.runs).size();
  });
}

Table table_by_setting(const std::vector<SettingGroup>& groups,
                       Table (*make)(const std::vector<RunResult>&)) {
  const bool apart = std::any_of(groups.begin(), groups.end(), are_apart);
  const bool arrivals = have_several_arrivals(groups);
  const bool contained = std::any_of(groups.begin(), groups.end(), [](const SettingGroup& group) {
    return is_contained(group.runs.front());
  });
  Table whole;
  for (const auto& group : groups) {
    auto table = make(group.runs);
    for (std::size_t row = 0; row < table.size(); ++row) {
      const auto second = table[row].begin() + 1;
      if (apart) table[row].insert(second, row == 0 ? "one way" : group.one_way);
      if (arrivals) table[row].insert(table[row].begin() + 1, row == 0 ? "arrival" : group.arrival);
      const auto& runner = group.runs.front().runner;
      if (contained) table[row].insert(table[row].begin() + 1, row == 0 ? "runner" : runner);
    }
    whole.insert(whole.end(), whole.empty() ? table.begin() : table.begin() + 1, table.end());
  }
  return whole;
}

}  // namespace fixkeep::client_sim
