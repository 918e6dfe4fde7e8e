#include "client-sim/report/by_setting.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "client-sim/report/lock_style.hpp"
#include "client-sim/report/svg_plot.hpp"
#include "common/base/percentiles.hpp"

namespace fixkeep::client_sim {

namespace {

constexpr double range_headroom = 1.08;  // of a plot above its highest value

using Figure = std::function<std::optional<double>(const RunResult&)>;
using SettingList = std::vector<const SettingGroup*>;

bool are_apart(const SettingGroup& group) {
  const auto& distances = group.runs.front().distances;
  return distances && longest_one_way_ms(*distances) > 0;
}

bool have_several_arrivals(const std::vector<SettingGroup>& groups) {
  return std::any_of(groups.begin(), groups.end(), [&](const SettingGroup& group) {
    return group.arrival != groups.front().arrival;
  });
}

std::optional<Spread> span_of(const SettingGroup& group, const std::string& lock,
                              const Figure& figure) {
  std::vector<double> values;
  for (const auto* run : runs_of(group.runs, lock)) {
    if (const auto value = figure(*run)) values.push_back(*value);
  }
  if (values.empty()) return {};
  return spread(std::move(values));
}

// One figure of every lock in each of the groups.
Drawing draw_over_distance(const SettingList& groups, const std::vector<std::string>& locks,
                           const std::string& what, const std::string& unit, const Figure& figure) {
  Axes axes{.description = what + " at each delay, for each lock strategy",
            .x_label = "delay of one way",
            .y_label = unit,
            .y_max = 1};
  double most = 0;
  std::vector<std::string> names;
  for (const auto* group : groups) names.push_back(group->one_way);
  std::vector<Ranges> all;
  for (const auto& lock : locks) {
    Ranges ranges{.style = style_of(lock), .spans = {}};
    for (const auto* group : groups) {
      ranges.spans.push_back(span_of(*group, lock, figure));
      if (!ranges.spans.back()) continue;
      for (const double value : {ranges.spans.back()->median, ranges.spans.back()->max}) {
        if (std::isinf(value)) axes.never = true;
        if (!std::isinf(value)) most = std::max(most, value);
      }
    }
    all.push_back(std::move(ranges));
  }
  if (most > 0) axes.y_max = most * range_headroom;
  return range_plot(axes, names, all);
}

Picture picture_over_distance(const std::string& arrival, bool several, const SettingList& groups) {
  std::vector<RunResult> runs;
  for (const auto* group : groups) {
    runs.insert(runs.end(), group->runs.begin(), group->runs.end());
  }
  const auto locks = strategies(runs);
  Picture picture{.name = "over-distance-" + arrival,
                  .title = several ? "Over the distance, " + arrival : "Over the distance",
                  .words =
                      "Marks are medians over the seeds, bars reach from the least to the "
                      "most. Locks stand side by side at each delay. At 0 nodes connect "
                      "directly; otherwise every message between them takes the delay.",
                  .locks = locks};
  const auto add = [&](const char* what, const char* unit, const Figure& figure) {
    picture.cells.push_back(
        {.lock = {}, .note = {}, .drawing = draw_over_distance(groups, locks, what, unit, figure)});
  };
  add("Orders that collided", "collisions a run", collisions_of);
  add("Duplicate rooms", "duplicate rooms a run",
      [](const RunResult& run) { return static_cast<double>(run.verdict.duplicate_rooms); });
  add("Room-seconds wasted by collisions", "wasted room-seconds a run", wasted_room_seconds_of);
  add("Median time to match", "time to match, p50 (ms)",
      [](const RunResult& run) { return match_ms_of_all(run).p50; });
  add("99th percentile of the time to match", "time to match, p99 (ms)",
      [](const RunResult& run) { return match_ms_of_all(run).p99; });
  return picture;
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
  std::vector<std::string> seen;
  std::string names;
  for (const auto& group : by_setting(runs)) {
    const auto& name = group.one_way;
    if (name.empty() || std::find(seen.begin(), seen.end(), name) != seen.end()) continue;
    seen.push_back(name);
    names += (names.empty() ? "" : ", ") + name;
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

std::vector<Picture> pictures_over_distance(const std::vector<SettingGroup>& groups) {
  std::vector<Picture> pictures;
  std::vector<std::string> done;
  for (const auto& group : groups) {
    if (std::find(done.begin(), done.end(), group.arrival) != done.end()) continue;
    done.push_back(group.arrival);
    SettingList same;
    for (const auto& other : groups) {
      if (other.arrival == group.arrival) same.push_back(&other);
    }
    if (same.size() < 2) continue;
    pictures.push_back(picture_over_distance(group.arrival, have_several_arrivals(groups), same));
  }
  return pictures;
}

}  // namespace fixkeep::client_sim
