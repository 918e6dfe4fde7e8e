#include "client-sim/report/html_report.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "client-sim/report/html_parts.hpp"
#include "client-sim/report/svg_plot.hpp"

namespace fixkeep::client_sim {

namespace {

constexpr std::size_t distribution_points = 240;
constexpr std::size_t most_listed_runs = 120;
constexpr double headroom = 1.08;  // of a plot above its highest value

std::string legend(const std::vector<std::string>& locks) {
  std::string html = "<ul class=\"legend\">";
  for (std::size_t index = 0; index < locks.size(); ++index) {
    html += "<li><svg viewBox=\"0 0 30 12\" aria-hidden=\"true\"><path class=\"line c" +
            std::to_string(colour_of(index)) + "\" d=\"M1 6H29\"/></svg>" +
            escape_html(locks[index]) + "</li>";
  }
  return html + "</ul>\n";
}

std::string cards(const std::vector<RunResult>& runs, const std::vector<std::string>& locks) {
  std::string html = "<div class=\"cards\">\n";
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
    const auto number = [](double value) { return std::to_string(std::llround(value)); };
    const std::string range =
        count.min == count.max ? number(count.max) : number(count.min) + " – " + number(count.max);
    html +=
        "<div class=\"card k" + std::to_string(colour_of(index)) + "\">" +
        tag("div", "name", locks[index]) +
        tag("div", count.max > 0 ? "big bad" : "big good", range) +
        tag("div", "soft",
            mine.size() == 1 ? "duplicate rooms"
                             : "duplicate rooms a run, " + std::to_string(mine.size()) + " seeds") +
        tag("div", "small soft",
            std::to_string(rooms) + " rooms made, " + std::to_string(ideal) + " needed; p99 " +
                format_ms(spread(p99).median) + " ms") +
        "</div>\n";
  }
  return html + "</div>\n";
}

std::string rooms_section(const std::vector<RunResult>& runs,
                          const std::vector<std::string>& locks) {
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
    references.push_back({.label = "needed: " + std::to_string(std::llround(ideal)), .y = ideal});
    y_max = std::max(y_max, ideal);
  }
  const Axes axes{.description = "Rooms over time, a line for each lock strategy",
                  .x_label = "time since the first request (s)",
                  .y_label = "rooms",
                  .x_max = x_max,
                  .y_max = y_max * headroom};
  return "<section><h2>Rooms over time</h2><p class=\"soft small\">Rooms that are starting or open,"
         " as a master lists them. Of several seeds the first is drawn strong.</p>" +
         legend(locks) + "<div class=\"plot\">" + line_plot(axes, lines, references) +
         "</div></section>\n";
}

std::string fill_section(const std::vector<RunResult>& runs,
                         const std::vector<std::string>& locks) {
  std::string html =
      "<section><h2>Fill of each room</h2><p class=\"soft small\">A bar for each room that was "
      "made with the first seed: its players when it was fullest, by group.</p><div "
      "class=\"pair\">";
  for (std::size_t index = 0; index < locks.size(); ++index) {
    const auto& run = *runs_of(runs, locks[index]).front();
    std::vector<Bar> bars;
    double most = run.capacity;
    for (const auto& fill : run.verdict.fills) {
      bars.push_back({.value = static_cast<double>(fill.inside),
                      .hint = fill.group_key + ": " + std::to_string(fill.inside) + " of " +
                              std::to_string(fill.capacity)});
      most = std::max(most, static_cast<double>(fill.inside));
    }
    const Axes axes{.description = "Players in each room, " + run.lock,
                    .x_label = std::to_string(bars.size()) + " rooms, by group",
                    .y_label = "players",
                    .y_max = most * 1.15};
    const auto mean = std::to_string(std::lround(run.verdict.mean_fill * 100));
    html += "<div>" +
            tag("h3", "small k" + std::to_string(colour_of(index)),
                run.lock + ": " + mean + " % full on average") +
            "<div class=\"plot\">" +
            bar_plot(axes, bars, colour_of(index),
                     {{.label = "seats: " + std::to_string(run.capacity),
                       .y = static_cast<double>(run.capacity)}}) +
            "</div></div>\n";
  }
  return html + "</div></section>\n";
}

std::string latency_section(const std::vector<RunResult>& runs,
                            const std::vector<std::string>& locks) {
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
  return "<section><h2>Time to match</h2><p class=\"soft small\">How many players had their seat "
         "after how long, all seeds together. Retries count.</p>" +
         legend(locks) + "<div class=\"plot\">" + line_plot(axes, lines, {}) + "</div></section>\n";
}

std::string figures_section(const std::vector<RunResult>& runs) {
  auto every = runs_table(runs);
  std::string html = "<section><h2>Figures</h2>";
  if (runs.size() > strategies(runs).size()) {
    html +=
        "<p class=\"soft small\">Over the seeds: least / median / most. Exact: rooms as needed "
        "and no errors.</p>" +
        table_html(seeds_table(runs)) + "<br>";
  }
  if (every.size() > most_listed_runs + 1) every.resize(most_listed_runs + 1);
  html += table_html(every);
  if (runs.size() > most_listed_runs) {
    html += tag("p", "soft small",
                "The first " + std::to_string(most_listed_runs) + " runs of " +
                    std::to_string(runs.size()) + ".");
  }
  std::set<std::string> faults;
  for (const auto& run : runs) {
    for (const auto& fault : run.faults()) faults.insert(run.lock + ": " + fault);
    for (const auto& complaint : run.complaints) faults.insert(run.lock + ": " + complaint);
  }
  for (const auto& fault : faults) html += tag("p", "bad", fault);
  return html + "</section>\n";
}

std::string parameters_section(const RunResult& run, const ReportHeader& header) {
  std::vector<std::pair<std::string, std::string>> facts{
      {"masters", std::to_string(run.masters)},
      {"workers", std::to_string(run.workers)},
      {"players", std::to_string(run.players)},
      {"groups", std::to_string(run.groups)},
      {"seats of a room", std::to_string(run.capacity)}};
  if (run.boot_ms >= 0) facts.emplace_back("boot of a game", std::to_string(run.boot_ms) + " ms");
  facts.emplace_back("arrival", run.arrival);
  facts.emplace_back("first seed", std::to_string(run.seed));
  return origin_section(facts, header);
}

}  // namespace

std::string html_report(const std::vector<RunResult>& runs, const ReportHeader& header) {
  const auto locks = strategies(runs);
  std::string html = begin_page("Rooms made under load");
  if (runs.empty()) return html + "<p>No run was finished.</p>" + end_page();
  const auto& first = runs.front();
  html += tag("p", "soft",
              std::to_string(first.players) + " players in " + std::to_string(first.groups) +
                  " groups ask " + std::to_string(first.masters) + " masters for seats (" +
                  first.arrival + "); a room has " + std::to_string(first.capacity) +
                  " seats. Who decides that a new room is made?");
  html += cards(runs, locks) + rooms_section(runs, locks) + latency_section(runs, locks) +
          fill_section(runs, locks) + figures_section(runs) + parameters_section(first, header);
  return html + end_page();
}

}  // namespace fixkeep::client_sim
