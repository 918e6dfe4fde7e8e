#include "client-sim/report/html_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "client-sim/report/by_distance.hpp"
#include "client-sim/report/html_parts.hpp"
#include "client-sim/report/svg_plot.hpp"
#include "client-sim/report/template.hpp"

namespace fixkeep::client_sim {

namespace {

constexpr std::size_t distribution_points = 240;
constexpr std::size_t most_listed_runs = 120;
constexpr double headroom = 1.08;  // of a plot above its highest value

std::string whole(double value) {
  return std::to_string(std::llround(value));
}

nlohmann::json card_values(const std::vector<RunResult>& runs,
                           const std::vector<std::string>& locks) {
  auto cards = nlohmann::json::array();
  for (std::size_t index = 0; index < locks.size(); ++index) {
    const auto mine = runs_of(runs, locks[index]);
    std::vector<double> duplicates;
    std::vector<double> p99;
    std::uint64_t rooms = 0;
    std::uint64_t ideal = 0;
    for (const auto* run : mine) {
      duplicates.push_back(static_cast<double>(run->verdict.duplicate_rooms));
      p99.push_back(run->verdict.match_ms.p99);
      rooms += run->verdict.rooms;
      ideal += run->verdict.ideal_rooms;
    }
    const auto count = spread(duplicates);
    nlohmann::json card{
        {"colour", colour_of(index)},
        {"lock", locks[index]},
        {"verdict", count.max > 0 ? "bad" : "good"},
        {"duplicates",
         count.min == count.max ? whole(count.max) : whole(count.min) + " – " + whole(count.max)},
        {"seeds", nullptr},
        {"rooms", rooms},
        {"needed", ideal},
        {"p99", format_ms(spread(p99).median)}};
    if (mine.size() > 1) card["seeds"] = mine.size();
    cards.push_back(std::move(card));
  }
  return cards;
}

std::string rooms_plot(const std::vector<RunResult>& runs, const std::vector<std::string>& locks) {
  double x_max = 0;
  double y_max = 1;
  std::vector<Line> lines;
  for (std::size_t index = 0; index < locks.size(); ++index) {
    bool first = true;
    for (const auto* run : runs_of(runs, locks[index])) {
      Line line{.colour = colour_of(index), .points = {}, .steps = true, .faint = !first};
      for (const auto& sample : run->curve) {
        line.points.push_back({.x = sample.at_ms / 1000, .y = static_cast<double>(sample.rooms)});
        x_max = std::max(x_max, sample.at_ms / 1000);
        y_max = std::max(y_max, static_cast<double>(sample.rooms));
      }
      lines.push_back(std::move(line));
      first = false;
    }
  }
  std::vector<Reference> references;
  // With players leaving, how many rooms are needed changes all the time: there is no line for it.
  if (runs.front().arrival != "churn") {
    const auto ideal = static_cast<double>(runs.front().verdict.ideal_rooms);
    references.push_back({.label = "needed: " + whole(ideal), .y = ideal});
    y_max = std::max(y_max, ideal);
  }
  const Axes axes{.description = "Rooms over time, a line for each lock strategy",
                  .x_label = "time since the first request (s)",
                  .y_label = "rooms",
                  .x_max = x_max,
                  .y_max = y_max * headroom};
  return line_plot(axes, lines, references);
}

nlohmann::json fill_values(const std::vector<RunResult>& runs,
                           const std::vector<std::string>& locks) {
  auto fills = nlohmann::json::array();
  for (std::size_t index = 0; index < locks.size(); ++index) {
    const auto& run = *runs_of(runs, locks[index]).front();
    std::vector<Bar> bars;
    double most = run.capacity;
    for (const auto& fill : run.verdict.fills) {
      bars.push_back(
          {.value = static_cast<double>(fill.inside),
           .hint = fmt::format("{}: {} of {}", fill.group_key, fill.inside, fill.capacity)});
      most = std::max(most, static_cast<double>(fill.inside));
    }
    const Axes axes{.description = "Players in each room, " + run.lock,
                    .x_label = fmt::format("{} rooms, by group", bars.size()),
                    .y_label = "players",
                    .y_max = most * 1.15};
    const std::vector<Reference> seats{
        {.label = fmt::format("seats: {}", run.capacity), .y = static_cast<double>(run.capacity)}};
    fills.push_back({{"colour", colour_of(index)},
                     {"lock", run.lock},
                     {"mean", std::lround(run.verdict.mean_fill * 100)},
                     {"plot", bar_plot(axes, bars, colour_of(index), seats)}});
  }
  return fills;
}

std::string times_plot(const std::vector<RunResult>& runs, const std::vector<std::string>& locks) {
  double x_max = 0;
  std::vector<Line> lines;
  for (std::size_t index = 0; index < locks.size(); ++index) {
    std::vector<double> times;
    for (const auto* run : runs_of(runs, locks[index])) {
      times.insert(times.end(), run->verdict.match_times.begin(), run->verdict.match_times.end());
    }
    if (times.empty()) continue;
    x_max = std::max(x_max, *std::max_element(times.begin(), times.end()));
    lines.push_back({.colour = colour_of(index),
                     .points = cumulative_distribution(std::move(times), distribution_points)});
  }
  const Axes axes{.description = "Share of players that have a seat, by time to match",
                  .x_label = "time to match (ms)",
                  .y_label = "players seated (%)",
                  .x_max = x_max * 1.02,
                  .y_max = 100};
  return line_plot(axes, lines, {});
}

// What runs are blamed for, each once.
std::set<std::string> faults_of(const std::vector<RunResult>& runs) {
  std::set<std::string> faults;
  for (const auto& run : runs) {
    for (const auto& fault : run.faults()) faults.insert(run.lock + ": " + fault);
    for (const auto& complaint : run.complaints) faults.insert(run.lock + ": " + complaint);
  }
  return faults;
}

Facts facts_of(const RunResult& run) {
  Facts facts{{"masters", std::to_string(run.masters)},
              {"workers", std::to_string(run.workers)},
              {"players", std::to_string(run.players)},
              {"groups", std::to_string(run.groups)},
              {"seats of a room", std::to_string(run.capacity)}};
  if (run.boot_ms >= 0) facts.emplace_back("boot of a game", fmt::format("{} ms", run.boot_ms));
  facts.emplace_back("arrival", run.arrival);
  facts.emplace_back("first seed", std::to_string(run.seed));
  return facts;
}

// Cards and plots of the runs at one distance. `title` is empty if there is only one.
nlohmann::json values_at(const DistanceGroup& group, const std::string& title) {
  const auto& runs = group.runs;
  const auto locks = strategies(runs);
  const nlohmann::json values{{"cards", card_values(runs, locks)},
                              {"legend", legend_of_lines(locks)},
                              {"rooms_plot", rooms_plot(runs, locks)},
                              {"times_plot", times_plot(runs, locks)},
                              {"fills", fill_values(runs, locks)}};
  nlohmann::json heading;
  if (!title.empty()) heading = {{"title", title}};
  return {{"heading", std::move(heading)}, {"body", fill_template(at_distance_template(), values)}};
}

}  // namespace

std::string html_report(const std::vector<RunResult>& runs, const ReportHeader& header) {
  const std::string title = "Rooms made under load";
  if (runs.empty()) return page_html(title, "<p>No run was finished.</p>", {}, header);
  const auto& first = runs.front();
  const auto locks = strategies(runs);
  const auto groups = by_distance(runs);
  auto distances = nlohmann::json::array();
  for (const auto& group : groups) {
    distances.push_back(values_at(group, groups.size() > 1 ? group.name + " one way" : ""));
  }
  auto facts = facts_of(first);
  const auto more_facts = distance_facts(runs);
  facts.insert(facts.end(), more_facts.begin(), more_facts.end());
  auto listed = table_by_distance(groups, runs_table);
  const bool cut = runs.size() > most_listed_runs;
  if (cut) listed.resize(most_listed_runs + 1);
  nlohmann::json values{{"players", first.players},
                        {"groups", first.groups},
                        {"masters", first.masters},
                        {"arrival", first.arrival},
                        {"seats", first.capacity},
                        {"legend", legend_of_lines(locks)},
                        {"over_distance", distance_plots(groups, locks)},
                        {"distances", std::move(distances)},
                        {"over_seeds", nullptr},
                        {"runs", table_html(listed)},
                        {"cut", cut},
                        {"listed", most_listed_runs},
                        {"all", runs.size()},
                        {"faults", faults_of(runs)}};
  if (has_repeated_runs(groups)) {
    values["over_seeds"] = table_html(table_by_distance(groups, seeds_table));
  }
  return page_html(title, fill_template(rooms_template(), values), facts, header);
}

}  // namespace fixkeep::client_sim
