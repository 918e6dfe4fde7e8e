#include "client-sim/report/stage_report.hpp"

#include <algorithm>
#include <string>

#include "client-sim/report/svg_stack.hpp"

namespace fixkeep::client_sim {

namespace {

using SameArrival = std::vector<const SettingGroup*>;

std::vector<double> parts_of(const StageTimes& times) {
  return {times.ms.begin(), times.ms.end()};
}

// The bar of one lock in one setting; without parts if nothing is known of it.
StackRow row_of(const std::string& label, const SettingGroup& group, const std::string& lock) {
  StackRow row{.label = label, .parts = {}, .text = "not measured", .mark = {}};
  const auto runs = runs_of(group.runs, lock);
  const auto times = mean_stages(runs);
  if (!times) return row;
  row.parts = parts_of(*times);
  row.text = format_ms(times->sum());
  row.mark = needed_ms(*runs.front());
  return row;
}

double longest(const std::vector<StackRow>& rows) {
  double most = 0;
  for (const auto& row : rows) {
    double sum = 0;
    for (const double part : row.parts) sum += part;
    most = std::max({most, sum, row.mark.value_or(0)});
  }
  return most;
}

Cell draw(const std::string& lock, const std::vector<StackRow>& rows, double x_max) {
  const StackPlot plot{.description = "Mean time to match by stages" +
                                      (lock.empty() ? std::string{} : ", with the lock " + lock),
                       .x_label = "mean time to match (ms)",
                       .x_max = x_max};
  return {.lock = lock, .note = {}, .drawing = stack_plot(plot, rows)};
}

Picture picture_of(const SameArrival& groups, bool several_arrivals) {
  const auto& arrival = groups.front()->arrival;
  std::vector<std::string> locks;
  for (const auto* group : groups) {
    for (const auto& lock : strategies(group->runs)) {
      if (std::find(locks.begin(), locks.end(), lock) == locks.end()) locks.push_back(lock);
    }
  }
  Picture picture{.name = "stages-" + arrival,
                  .title = "Where the time of a match goes",
                  .words =
                      "Means over all matches, as the masters tell them, in the order in "
                      "which the stages follow each other."};
  if (needed_ms(groups.front()->runs.front())) {
    picture.words += " The mark is what the rules demand of a lone match that needs a room.";
  }
  if (several_arrivals) picture.title += ", " + arrival;
  picture.parts = {stage_names.begin(), stage_names.end()};
  std::vector<std::vector<StackRow>> drawings;
  double most = 0;
  for (const auto& lock : locks) {
    std::vector<StackRow> rows;
    rows.reserve(groups.size());
    for (const auto* group : groups) {
      rows.push_back(row_of(groups.size() > 1 ? group->one_way : lock, *group, lock));
    }
    most = std::max(most, longest(rows));
    drawings.push_back(std::move(rows));
  }
  if (groups.size() == 1) {
    std::vector<StackRow> rows;
    rows.reserve(drawings.size());
    for (const auto& drawing : drawings) rows.push_back(drawing.front());
    picture.cells.push_back(draw({}, rows, most));
    return picture;
  }
  for (std::size_t index = 0; index < locks.size(); ++index) {
    picture.cells.push_back(draw(locks[index], drawings[index], most));
  }
  return picture;
}

}  // namespace

std::optional<double> needed_ms(const RunResult& run) {
  if (run.arrival != "burst" || run.boot_ms < 0 || !run.distances) return {};
  const auto& distances = *run.distances;
  if (distances.master_ms || distances.worker_ms || !distances.zones.text.empty()) return {};
  const double flights = promises_no_duplicates(run.lock) ? 6 : 2;
  return static_cast<double>(run.boot_ms) + flights * distances.link_ms;
}

std::optional<StageTimes> mean_stages(const std::vector<const RunResult*>& runs) {
  StageTimes mean;
  for (const auto* run : runs) {
    if (!run->told) continue;
    const StageTimes& times = run->told->stages;
    mean.matches += times.matches;
    for (std::size_t stage = 0; stage < stage_count; ++stage) {
      mean.ms.at(stage) += times.ms.at(stage) * static_cast<double>(times.matches);
    }
  }
  if (mean.matches == 0) return {};
  for (double& ms : mean.ms) ms /= static_cast<double>(mean.matches);
  return mean;
}

Table stages_table(const std::vector<RunResult>& runs) {
  Table table{{"lock", "matches"}};
  for (const auto stage : stage_names) table.front().push_back(std::string{stage} + " ms");
  table.front().insert(table.front().end(), {"sum ms", "needed ms"});
  for (const auto& lock : strategies(runs)) {
    const auto of_lock = runs_of(runs, lock);
    const auto times = mean_stages(of_lock);
    if (!times) continue;
    std::vector<std::string> row{lock, std::to_string(times->matches)};
    for (const double ms : times->ms) row.push_back(format_ms(ms));
    row.push_back(format_ms(times->sum()));
    const auto needed = needed_ms(*of_lock.front());
    row.push_back(needed ? format_ms(*needed) : "-");
    table.push_back(std::move(row));
  }
  return table;
}

std::vector<Picture> pictures_of_stages(const std::vector<SettingGroup>& groups) {
  std::vector<std::string> arrivals;
  for (const auto& group : groups) {
    if (std::find(arrivals.begin(), arrivals.end(), group.arrival) == arrivals.end()) {
      arrivals.push_back(group.arrival);
    }
  }
  std::vector<Picture> pictures;
  for (const auto& arrival : arrivals) {
    SameArrival same;
    bool known = false;
    for (const auto& group : groups) {
      if (group.arrival != arrival) continue;
      same.push_back(&group);
      for (const auto& run : group.runs) known = known || run.told != nullptr;
    }
    if (known) pictures.push_back(picture_of(same, arrivals.size() > 1));
  }
  return pictures;
}

}  // namespace fixkeep::client_sim
