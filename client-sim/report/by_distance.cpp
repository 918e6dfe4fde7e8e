#include "client-sim/report/by_distance.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "client-sim/report/svg_plot.hpp"
#include "common/base/percentiles.hpp"

namespace fixkeep::client_sim {

namespace {

constexpr double room_above = 1.08;  // of a plot above its highest value

std::string name_of(const RunResult& run) {
  return run.distances ? label(*run.distances) : std::string{};
}

template <class Get>
std::string plot_over_distance(const std::vector<DistanceGroup>& groups,
                               const std::vector<std::string>& locks, const std::string& what,
                               const std::string& unit, Get get) {
  double x_max = 0;
  double y_max = 1;
  std::vector<Line> lines;
  for (std::size_t index = 0; index < locks.size(); ++index) {
    Line line{.colour = colour_of(index), .points = {}};
    for (const auto& group : groups) {
      std::vector<double> values;
      for (const auto* run : runs_of(group.runs, locks[index])) values.push_back(get(*run));
      if (values.empty()) continue;
      line.points.push_back({.x = group.link_ms, .y = spread(std::move(values)).median});
      x_max = std::max(x_max, group.link_ms);
      y_max = std::max(y_max, line.points.back().y);
    }
    std::sort(line.points.begin(), line.points.end(),
              [](const CurvePoint& one, const CurvePoint& other) { return one.x < other.x; });
    lines.push_back(std::move(line));
  }
  return line_plot({.description = what + " over the delay, a line for each lock strategy",
                    .x_label = "delay of one way (ms)",
                    .y_label = unit,
                    .x_max = x_max,
                    .y_max = y_max * room_above},
                   lines, {});
}

}  // namespace

std::vector<DistanceGroup> by_distance(const std::vector<RunResult>& runs) {
  std::vector<DistanceGroup> groups;
  for (const auto& run : runs) {
    auto group = std::find_if(groups.begin(), groups.end(), [&](const DistanceGroup& each) {
      return each.runs.front().distances == run.distances;
    });
    if (group == groups.end()) {
      groups.push_back({.name = name_of(run),
                        .link_ms = run.distances ? run.distances->link_ms : 0,
                        .runs = {}});
      group = groups.end() - 1;
    }
    group->runs.push_back(run);
  }
  return groups;
}

bool has_repeated_runs(const std::vector<DistanceGroup>& groups) {
  return std::any_of(groups.begin(), groups.end(), [](const DistanceGroup& group) {
    return group.runs.size() > strategies(group.runs).size();
  });
}

Table table_by_distance(const std::vector<DistanceGroup>& groups,
                        Table (*make)(const std::vector<RunResult>&)) {
  const bool apart = std::any_of(groups.begin(), groups.end(), [](const DistanceGroup& group) {
    const auto& distances = group.runs.front().distances;
    return distances && longest_one_way_ms(*distances) > 0;
  });
  Table whole;
  for (const auto& group : groups) {
    auto table = make(group.runs);
    for (std::size_t row = 0; apart && row < table.size(); ++row) {
      table[row].insert(table[row].begin() + 1, row == 0 ? "one way" : group.name);
    }
    whole.insert(whole.end(), whole.empty() ? table.begin() : table.begin() + 1, table.end());
  }
  return whole;
}

void add_distances(nlohmann::ordered_json& object, const RunResult& run) {
  for (const auto* key : {"link_delay_ms", "master_delay_ms", "worker_delay_ms", "jitter_ms",
                          "loss_percent", "zones"}) {
    object[key] = nullptr;
  }
  if (!run.distances) return;
  const auto& distances = *run.distances;
  const bool zones = !distances.zones.text.empty();
  if (zones) {
    object["zones"] = distances.zones.text;
  } else {
    object["link_delay_ms"] = distances.link_ms;
    object["master_delay_ms"] = distances.link_ms;
    object["worker_delay_ms"] = distances.link_ms;
  }
  if (distances.master_ms) object["master_delay_ms"] = *distances.master_ms;
  if (distances.worker_ms) object["worker_delay_ms"] = *distances.worker_ms;
  object["jitter_ms"] = distances.jitter_ms;
  object["loss_percent"] = distances.loss_percent;
}

Facts distance_facts(const std::vector<RunResult>& runs) {
  Facts facts;
  std::string names;
  for (const auto& group : by_distance(runs)) {
    if (!group.name.empty()) names += (names.empty() ? "" : ", ") + group.name;
  }
  if (names.empty()) return facts;
  facts.emplace_back("one way", names);
  const auto& distances = *runs.front().distances;
  const auto add = [&](const char* name, double value, const char* unit) {
    if (value > 0) facts.emplace_back(name, fmt::format("{} {}", value, unit));
  };
  add("jitter", distances.jitter_ms, "ms");
  add("segments lost", distances.loss_percent, "%");
  if (!distances.zones.text.empty()) facts.emplace_back("zones", distances.zones.text);
  return facts;
}

nlohmann::json distance_plots(const std::vector<DistanceGroup>& groups,
                              const std::vector<std::string>& locks) {
  if (groups.size() < 2) return nullptr;
  return {
      {"p50", plot_over_distance(groups, locks, "Median time to match", "p50 (ms)",
                                 [](const RunResult& run) { return run.verdict.match_ms.p50; })},
      {"p99", plot_over_distance(groups, locks, "99th percentile of the time to match", "p99 (ms)",
                                 [](const RunResult& run) { return run.verdict.match_ms.p99; })},
      {"duplicates", plot_over_distance(groups, locks, "Duplicate rooms", "duplicate rooms a run",
                                        [](const RunResult& run) {
                                          return static_cast<double>(run.verdict.duplicate_rooms);
                                        })},
      {"collisions",
       plot_over_distance(groups, locks, "Orders that collided", "collisions a run",
                          [](const RunResult& run) {
                            return run.bill ? static_cast<double>(run.bill->collisions.size()) : 0;
                          })}};
}

}  // namespace fixkeep::client_sim
