#include "client-sim/pools/pool_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <functional>
#include <optional>

#include "client-sim/report/by_setting.hpp"
#include "client-sim/report/lock_style.hpp"
#include "client-sim/report/svg_plot.hpp"
#include "client-sim/report/svg_text.hpp"

namespace fixkeep::client_sim {
namespace {

using FigureOf = std::optional<double> (*)(const RunResult&);

struct PoolColumn {
  const char* name;
  FigureOf figure;
  FigureOf replayed = nullptr;  // there is none for what only a cluster has
};

// A row and a line of its own, beside those of the locks.
constexpr const char* replay_name = "replay";

template <std::uint64_t PoolBill::*count>
std::optional<double> bill_count(const RunResult& run) {
  if (!run.pool->bill) return std::nullopt;
  return static_cast<double>((*run.pool->bill).*count);
}

template <double Percentiles::*percentile>
std::optional<double> wait_by(const RunResult& run) {
  return run.verdict.match_ms.*percentile;
}

template <double Percentiles::*percentile>
std::optional<double> spread_by(const RunResult& run) {
  return percentiles(run.pool->spreads).*percentile;
}

template <double Percentiles::*percentile>
std::optional<double> replayed_wait(const RunResult& run) {
  return percentiles(run.pool->replay.waits_ms).*percentile;
}

template <double Percentiles::*percentile>
std::optional<double> replayed_spread(const RunResult& run) {
  return percentiles(run.pool->replay.spreads).*percentile;
}

std::optional<double> replay_seated(const RunResult& run) {
  return static_cast<double>(run.pool->replay.seated);
}
std::optional<double> replay_rooms(const RunResult& run) {
  return static_cast<double>(run.pool->replay.rooms);
}

std::optional<double> requests_of(const RunResult& run) {
  return static_cast<double>(run.players);
}
std::optional<double> seated_of(const RunResult& run) {
  return static_cast<double>(run.verdict.seated);
}
std::optional<double> rooms_made(const RunResult& run) {
  return static_cast<double>(run.verdict.rooms);
}

// The columns begin with what must never be wrong, as those of run_tables.hpp do.
constexpr std::array<PoolColumn, 14> pool_columns{{
    {"too wide", bill_count<&PoolBill::too_wide>},
    {"needless", bill_count<&PoolBill::needless>},
    {"loose", bill_count<&PoolBill::loose>},
    {"seated twice", bill_count<&PoolBill::seated_twice>},
    {"requests", requests_of, requests_of},
    {"seated", seated_of, replay_seated},
    {"rooms", rooms_made, replay_rooms},
    {"refused", bill_count<&PoolBill::refused>},
    {"decisions", bill_count<&PoolBill::decisions>},
    {"wait p50 ms", wait_by<&Percentiles::p50>, replayed_wait<&Percentiles::p50>},
    {"wait p90 ms", wait_by<&Percentiles::p90>, replayed_wait<&Percentiles::p90>},
    {"spread p50", spread_by<&Percentiles::p50>, replayed_spread<&Percentiles::p50>},
    {"spread p90", spread_by<&Percentiles::p90>, replayed_spread<&Percentiles::p90>},
    {"own late ms",
     [](const RunResult& run) { return std::optional{run.verdict.own_lateness_ms.p99}; }},
}};

std::string cell_of(const std::vector<const RunResult*>& runs, FigureOf figure) {
  std::vector<double> values;
  for (const RunResult* run : runs) {
    if (const auto value = figure(*run)) values.push_back(*value);
  }
  return values.empty() ? "–" : format_spread(spread(std::move(values)), format_whole);
}

// The picture shows how large a share of the values of each lock lies below.
Picture share_lines(const std::vector<RunResult>& runs, Picture picture, Axes axes,
                    const std::function<std::vector<double>(const RunResult&)>& values,
                    const std::function<std::vector<double>(const RunResult&)>& replayed) {
  constexpr std::size_t points = 200;
  std::vector<Line> lines;
  auto names = strategies(runs);
  names.emplace_back(replay_name);
  for (const std::string& lock : names) {
    const bool is_replay = lock == replay_name;
    std::vector<double> all;
    for (const RunResult* run : runs_of(runs, is_replay ? runs.front().lock : lock)) {
      const auto own = (is_replay ? replayed : values)(*run);
      all.insert(all.end(), own.begin(), own.end());
    }
    picture.locks.push_back(lock);
    lines.push_back(
        {.style = style_of(lock), .points = cumulative_distribution(std::move(all), points)});
    for (const CurvePoint& point : lines.back().points) axes.x_max = std::max(axes.x_max, point.x);
  }
  picture.cells.push_back({.lock = {}, .note = {}, .drawing = line_plot(axes, lines, {})});
  return picture;
}

std::string paragraph_of_faults(const std::vector<RunResult>& runs) {
  std::string html;
  for (const RunResult& run : runs) {
    for (const std::string& fault : run.faults()) {
      html += fmt::format("<p class=\"bad small\">{}, seed {}: {}</p>", escape_html(run.lock),
                          run.seed, escape_html(fault));
    }
  }
  return html.empty() ? html : "<section><h2>What went wrong</h2>" + html + "</section>";
}

}  // namespace

Table pools_table(const std::vector<RunResult>& runs) {
  Table table{{"lock", "seeds"}};
  for (const PoolColumn& column : pool_columns) table.front().emplace_back(column.name);
  for (const std::string& lock : strategies(runs)) {
    const auto mine = runs_of(runs, lock);
    table.push_back({lock, std::to_string(mine.size())});
    for (const PoolColumn& column : pool_columns)
      table.back().push_back(cell_of(mine, column.figure));
  }
  // Each lock had the same players.
  const auto first = runs_of(runs, runs.front().lock);
  table.push_back({replay_name, std::to_string(first.size())});
  for (const PoolColumn& column : pool_columns) {
    table.back().push_back(column.replayed == nullptr ? "–" : cell_of(first, column.replayed));
  }
  return table;
}

std::vector<Picture> pictures_of_pools(const std::vector<RunResult>& runs) {
  return {share_lines(
              runs,
              {.name = "pool-waiting",
               .title = "Waiting",
               .words = "After how long which share of those who got a seat had it, the boot of "
                        "their room included."},
              {.description = "Waiting times",
               .x_label = "milliseconds",
               .y_label = "percent",
               .y_max = 100},
              [](const RunResult& run) { return run.verdict.match_times; },
              [](const RunResult& run) { return run.pool->replay.waits_ms; }),
          share_lines(
              runs,
              {.name = "pool-spread",
               .title = "Who meets whom",
               .words = "In which share of the rooms the highest and the lowest number are no "
                        "further apart."},
              {.description = "Spread of the numbers in rooms",
               .x_label = "highest less lowest number",
               .y_label = "percent of the rooms",
               .y_max = 100},
              [](const RunResult& run) { return run.pool->spreads; },
              [](const RunResult& run) { return run.pool->replay.spreads; })};
}

std::string pools_page(const std::vector<RunResult>& runs, const std::string& rules_file,
                       const ReportHeader& header) {
  const RunResult& first = runs.front();
  const auto groups = by_setting(runs);
  std::string body = fmt::format(
      "<p class=\"soft\">{} requests ask {} masters for a seat with others whose limits widen "
      "({}). "
      "One decision at a time sees all of them, if a lock says whose; without one each master sees "
      "its own.</p>",
      first.players, first.masters, first.arrival);
  body += paragraph_of_faults(runs);
  body +=
      "<section><h2>In short</h2><p class=\"soft small\">Needless: a room was ordered while "
      "another "
      "one could have taken one of its claims. Loose: two rooms of one decision could have been "
      "one. Too wide: beyond the limits of the moment. Refused: orders that workers took for void, "
      "since another master had fenced later. Replay: the same players in simulated time, where "
      "one "
      "planner sees all of them at once.</p>" +
      table_html(table_by_setting(groups, pools_table)) + "</section>";
  for (const SettingGroup& group : groups) {
    const auto title = title_of(group, groups);
    if (!title.empty()) { body += fmt::format("<h2 class=\"part\">{}</h2>", escape_html(title)); }
    for (const Picture& picture : pictures_of_pools(group.runs)) body += picture_html(picture);
  }
  Facts facts{{"rules", std::filesystem::path{rules_file}.filename().string()},
              {"masters", std::to_string(first.masters)},
              {"workers", std::to_string(first.workers)},
              {"requests", std::to_string(first.players)},
              {"seats of a room", std::to_string(first.capacity)},
              {"boot of a game", fmt::format("{} ms", first.boot_ms)},
              {"arrival", first.arrival},
              {"first seed", std::to_string(first.seed)}};
  const auto more = distance_facts(runs);
  facts.insert(facts.end(), more.begin(), more.end());
  return page_html("Rules that widen, live", body, facts, header);
}

}  // namespace fixkeep::client_sim
