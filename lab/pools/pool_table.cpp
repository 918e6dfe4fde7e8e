#include "lab/pools/pool_table.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>

#include "lab/pools/pool_mode.hpp"

namespace fixkeep::client_sim {
namespace {

using FigureOf = std::optional<double> (*)(const RunResult&);

struct PoolColumn {
  const char* name;
  FigureOf figure;
  FigureOf replayed = nullptr;  // null for figures of clusters only
  bool always = true;           // false: only if a run has this figure
};

// The name of the replay's row, beside the locks' rows.
constexpr const char* replay_name = "replay";

const PoolRun& pool_of(const RunResult& run) {
  return static_cast<const PoolRun&>(*run.own);
}

template <std::uint64_t PoolBill::*count>
std::optional<double> bill_count(const RunResult& run) {
  const auto& bill = pool_of(run).bill;
  if (!bill) return std::nullopt;
  return static_cast<double>((*bill).*count);
}

template <double Percentiles::*percentile>
std::optional<double> wait_by(const RunResult& run) {
  return run.verdict.match_ms.*percentile;
}

template <double Percentiles::*percentile>
std::optional<double> spread_by(const RunResult& run) {
  return percentiles(pool_of(run).spreads).*percentile;
}

template <double Percentiles::*percentile>
std::optional<double> replayed_wait(const RunResult& run) {
  return percentiles(pool_of(run).replay.waits_ms).*percentile;
}

template <double Percentiles::*percentile>
std::optional<double> replayed_spread(const RunResult& run) {
  return percentiles(pool_of(run).replay.spreads).*percentile;
}

std::optional<double> unequal_teams(const RunResult& run) {
  const auto& teams = pool_of(run).teams;
  if (!teams) return std::nullopt;
  return static_cast<double>(teams->unequal);
}
std::optional<double> team_rooms(const RunResult& run) {
  const auto& teams = pool_of(run).teams;
  if (!teams) return std::nullopt;
  return static_cast<double>(teams->rooms);
}

std::optional<double> replay_seated(const RunResult& run) {
  return static_cast<double>(pool_of(run).replay.seated);
}
std::optional<double> replay_rooms(const RunResult& run) {
  return static_cast<double>(pool_of(run).replay.rooms);
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

// The first columns show errors, in the same way as run_tables.hpp.
constexpr std::array<PoolColumn, 16> pool_columns{{
    {"too wide", bill_count<&PoolBill::too_wide>},
    {"needless", bill_count<&PoolBill::needless>},
    {"loose", bill_count<&PoolBill::loose>},
    {"seated twice", bill_count<&PoolBill::seated_twice>},
    {"unequal teams", unequal_teams, nullptr, false},
    {"rooms with teams", team_rooms, nullptr, false},
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

}  // namespace

Table pools_table(const std::vector<RunResult>& runs) {
  std::vector<PoolColumn> columns;
  std::copy_if(pool_columns.begin(), pool_columns.end(), std::back_inserter(columns),
               [&](const PoolColumn& column) {
                 return column.always ||
                        std::any_of(runs.begin(), runs.end(), [&](const auto& run) {
                          return column.figure(run).has_value();
                        });
               });
  Table table{{"lock", "seeds"}};
  for (const PoolColumn& column : columns) table.front().emplace_back(column.name);
  for (const std::string& lock : strategies(runs)) {
    const auto mine = runs_of(runs, lock);
    table.push_back({lock, std::to_string(mine.size())});
    for (const PoolColumn& column : columns) table.back().push_back(cell_of(mine, column.figure));
  }
  // All locks had the same players, so the replays of one lock's runs are enough for the last row.
  const auto first = runs_of(runs, runs.front().lock);
  table.push_back({replay_name, std::to_string(first.size())});
  for (const PoolColumn& column : columns) {
    table.back().push_back(column.replayed == nullptr ? "–" : cell_of(first, column.replayed));
  }
  return table;
}

}  // namespace fixkeep::client_sim
