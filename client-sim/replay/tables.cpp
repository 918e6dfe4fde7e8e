#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "client-sim/replay/figures.hpp"
#include "client-sim/report/svg_plot.hpp"
#include "client-sim/report/svg_rows.hpp"

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

// A row for each of several values by place, a column for each set of rules.
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

nlohmann::json json_of(const Percentiles& values) {
  return {{"p50", values.p50}, {"p90", values.p90}, {"p99", values.p99}, {"max", values.max}};
}

// A picture with a drawing for each set of rules, at one scale.
Picture beside(const std::vector<Figures>& all, Picture picture, Axes axes, const auto& lines_of) {
  std::vector<std::vector<Line>> lines;
  for (std::size_t i = 0; i < all.size(); ++i) {
    lines.push_back(lines_of(all[i], i));
    for (const Line& line : lines.back()) {
      for (const auto* points : {&line.points, &line.upper}) {
        for (const CurvePoint& point : *points) {
          axes.x_max = std::max(axes.x_max, point.x);
          axes.y_max = std::max(axes.y_max, point.y);
        }
      }
    }
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    picture.cells.push_back(
        {.lock = all[i].name, .note = {}, .drawing = line_plot(axes, lines[i], {})});
  }
  return picture;
}

std::vector<Line> medians_and_tails(const std::vector<Percentiles>& values, std::size_t style) {
  Line line{.style = style, .steps = true};
  const auto add = [&line](std::size_t at, const Percentiles& value) {
    const auto x = static_cast<double>(at);
    line.points.push_back({x, value.p50});
    line.lower.push_back({x, value.p50});
    line.upper.push_back({x, value.p90});
  };
  for (std::size_t i = 0; i < values.size(); ++i) add(i, values[i]);
  if (!values.empty()) add(values.size(), values.back());  // the last one is as wide as the others
  return {line};
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

std::vector<Picture> pictures_of_replays(const std::vector<Figures>& all) {
  std::vector<Picture> pictures;
  pictures.push_back(beside(
      all,
      {.name = "waiting",
       .title = "Waiting",
       .words = "After how many seconds which share of the tickets that were seated had its seat."},
      {.description = "Waiting times", .x_label = "seconds", .y_label = "percent", .y_max = 100},
      [](const Figures& figures, std::size_t style) {
        return std::vector<Line>{
            {.style = style, .points = cumulative_distribution(figures.all_waits_s, 300)}};
      }));
  pictures.push_back(beside(
      all,
      {.name = "hours",
       .title = "By hour",
       .words = "Median of the waiting of those who came in the hour, and up to where 90 % had a "
                "seat."},
      {.description = "Waiting by hour", .x_label = "hour", .y_label = "seconds"},
      [](const Figures& figures, std::size_t style) {
        return medians_and_tails(figures.waits_by_hour, style);
      }));
  if (std::any_of(all.begin(), all.end(),
                  [](const Figures& figures) { return !figures.waits_by_decile.empty(); })) {
    pictures.push_back(
        beside(all,
               {.name = "deciles",
                .title = "By rating",
                .words = "The same by tenths of the first number: the lowest at the left."},
               {.description = "Waiting by decile", .x_label = "tenths", .y_label = "seconds"},
               [](const Figures& figures, std::size_t style) {
                 return medians_and_tails(figures.waits_by_decile, style);
               }));
  }
  return pictures;
}

std::string to_json(const std::vector<Figures>& all) {
  nlohmann::json list = nlohmann::json::array();
  for (const Figures& f : all) {
    nlohmann::json one{{"rules", f.name},
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
                       {"wait_s", json_of(f.waits_s)},
                       {"mean_wait_s", f.mean_wait_s},
                       {"spread", json_of(f.spread)},
                       {"latency_ms", json_of(f.latency_ms)}};
    if (f.least_mean_wait_s) one["least_mean_wait_s"] = *f.least_mean_wait_s;
    if (f.gap) one["gap"] = json_of(*f.gap);
    if (f.comparison) {
      one["optimum"] = {{"lambda", f.comparison->lambda},
                        {"arrivals", f.comparison->arrivals},
                        {"distance", json_of(f.comparison->own_distances)},
                        {"best_distance", json_of(f.comparison->best_distances)},
                        {"wait_s", json_of(f.comparison->own_waits_s)},
                        {"best_wait_s", json_of(f.comparison->best_waits_s)},
                        {"cost", f.comparison->own_cost},
                        {"best_cost", f.comparison->best_cost}};
    }
    list.push_back(std::move(one));
  }
  return list.dump(1) + "\n";
}

}  // namespace fixkeep::client_sim::replay
