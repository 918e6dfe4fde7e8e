#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "client-sim/report/run_json.hpp"
#include "lab/replay/figures.hpp"

namespace fixkeep::client_sim::replay {
namespace {

std::string three(const Percentiles& values, const char* unit = "") {
  return fmt::format("{:.0f}{} / {:.0f}{} / {:.0f}{}", values.p50, unit, values.p90, unit,
                     values.p99, unit);
}

std::string percent(std::size_t part, std::size_t whole) {
  return whole == 0 ? "0 %"
                    : fmt::format("{:.1f} %",
                                  100.0 * static_cast<double>(part) / static_cast<double>(whole));
}

// A table with a row for each index (decile or hour) and a column for each set of rules.
Table by_place(const std::vector<Figures>& all, const char* place,
               std::vector<Percentiles> Figures::*values, std::size_t first) {
  Table table{{place}};
  std::size_t rows = 0;
  for (const Figures& figures : all) {
    table[0].push_back(figures.name + ", s");
    rows = std::max(rows, (figures.*values).size());
  }
  for (std::size_t row = 0; row < rows; ++row) {
    table.push_back({std::to_string(row + first)});
    for (const Figures& figures : all) {
      const auto& column = figures.*values;
      table.back().push_back(row < column.size() ? three(column[row]) : "");
    }
  }
  return table;
}

nlohmann::ordered_json list_of(const std::vector<Percentiles>& values) {
  auto list = nlohmann::ordered_json::array();
  for (const auto& value : values) list.push_back(percentiles_json(value));
  return list;
}

}  // namespace

Table summary_table(const std::vector<Figures>& all) {
  Table table{{"", "players", "seated", "left", "refused", "rooms", "filled", "wait s p50/p90/p99",
               "mean, no less than", "spread p50/p90/p99", "way ms p50/p90/p99",
               "gap of teams p50/p90/p99", "passed over", "within the p90 they were told"}};
  for (const Figures& f : all) {
    table.push_back(
        {f.name, std::to_string(f.players), percent(f.seated, f.players),
         percent(f.left, f.players), percent(f.refused, f.players), std::to_string(f.rooms),
         fmt::format("{:.1f} %", 100 * f.fill), three(f.waits_s),
         fmt::format("{:.1f}, {}", f.mean_wait_s,
                     f.least_mean_wait_s ? fmt::format("{:.1f}", *f.least_mean_wait_s) : "?"),
         three(f.spread), three(f.latency_ms), f.gap ? three(*f.gap) : "", std::to_string(f.passed),
         fmt::format("{} of {}", percent(f.told_right, f.told), f.told)});
  }
  return table;
}

Table decile_table(const std::vector<Figures>& all) {
  Table table = by_place(all, "decile", &Figures::waits_by_decile, 1);
  for (const Figures& figures : all) {
    table[0].push_back(figures.name + ", left");
    for (std::size_t row = 0; row < figures.left_by_decile.size(); ++row) {
      table[row + 1].push_back(fmt::format("{:.1f} %", figures.left_by_decile[row]));
    }
  }
  return table;
}

Table hour_table(const std::vector<Figures>& all) {
  return by_place(all, "hour", &Figures::waits_by_hour, 0);
}

Table optimum_table(const std::vector<Figures>& all) {
  Table table{{"", "arrivals", "lambda", "distance p50/p90/p99", "best", "wait s p50/p90/p99",
               "best", "cost", "best"}};
  for (const Figures& figures : all) {
    if (!figures.comparison) continue;
    const Comparison& c = *figures.comparison;
    table.push_back({figures.name, std::to_string(c.arrivals), fmt::format("{}", c.lambda),
                     three(c.own_distances), three(c.best_distances), three(c.own_waits_s),
                     three(c.best_waits_s), fmt::format("{:.0f}", c.own_cost),
                     fmt::format("{:.0f}", c.best_cost)});
  }
  return table;
}

std::string to_json(nlohmann::ordered_json origin, const std::vector<Figures>& all) {
  auto list = nlohmann::ordered_json::array();
  for (const Figures& f : all) {
    nlohmann::ordered_json one{{"rules", f.name},
                               {"tickets", f.tickets},
                               {"players", f.players},
                               {"seated", f.seated},
                               {"left", f.left},
                               {"refused", f.refused},
                               {"rooms", f.rooms},
                               {"filled", f.fill},
                               {"passed_over", f.passed},
                               {"told", f.told},
                               {"told_right", f.told_right},
                               {"wait_s", percentiles_json(f.waits_s)},
                               {"mean_wait_s", f.mean_wait_s},
                               {"spread", percentiles_json(f.spread)},
                               {"latency_ms", percentiles_json(f.latency_ms)}};
    one["waits_s"] = quantiles_json(f.all_waits_s);
    one["waits_by_hour_s"] = list_of(f.waits_by_hour);
    one["waits_by_decile_s"] = list_of(f.waits_by_decile);
    one["left_by_decile"] = f.left_by_decile;
    if (f.least_mean_wait_s) one["least_mean_wait_s"] = *f.least_mean_wait_s;
    if (f.gap) one["gap"] = percentiles_json(*f.gap);
    if (f.comparison) {
      one["optimum"] = {{"lambda", f.comparison->lambda},
                        {"arrivals", f.comparison->arrivals},
                        {"distance", percentiles_json(f.comparison->own_distances)},
                        {"best_distance", percentiles_json(f.comparison->best_distances)},
                        {"wait_s", percentiles_json(f.comparison->own_waits_s)},
                        {"best_wait_s", percentiles_json(f.comparison->best_waits_s)},
                        {"cost", f.comparison->own_cost},
                        {"best_cost", f.comparison->best_cost}};
    }
    list.push_back(std::move(one));
  }
  origin["replays"] = std::move(list);
  return origin.dump(1) + "\n";
}

}  // namespace fixkeep::client_sim::replay
