#include "client-sim/report/stage_table.hpp"

#include <string>

namespace fixkeep::client_sim {

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

}  // namespace fixkeep::client_sim
