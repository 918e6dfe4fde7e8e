#include "client-sim/locks/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>

#include "client-sim/report/svg_plot.hpp"
#include "client-sim/report/template.hpp"

namespace fixkeep::client_sim {

namespace {

constexpr double plot_headroom = 1.15;  // of a plot above its highest value

// What is drawn of one strategy: a bar for each value that there is.
using Values = std::vector<std::optional<double>>;
using Get = std::function<Values(const LockFigures&)>;

struct Plot {
  std::string title;
  std::string words;
  std::string unit;
  std::vector<std::string> series;  // names of the bars of a group
  bool logarithmic = false;         // where the slowest is a thousand times the fastest
  std::vector<Reference> references;
};

// The power of ten below the smallest value.
double log_from(double least) {
  return std::pow(10.0, std::floor(std::log10(std::max(least, 1e-3))));
}

// The values of a plot's section; null if there is nothing to draw.
nlohmann::json plot_values(const Plot& plot, const std::vector<LockFigures>& all, const Get& get) {
  std::vector<BarGroup> groups;
  double least = 1e12;
  double most = 0;
  for (const auto& figures : all) {
    BarGroup group{.label = figures.lock, .bars = {}};
    const auto values = get(figures);
    for (std::size_t index = 0; index < values.size(); ++index) {
      const auto value = values[index].value_or(0);
      group.bars.push_back({.value = value,
                            .hint = figures.lock + ", " + plot.series[index] + ": " +
                                    (values[index] ? format_ms(value) + " " + plot.unit
                                                   : std::string{"not measured"})});
      if (value > 0) least = std::min(least, value);
      most = std::max(most, value);
    }
    groups.push_back(std::move(group));
  }
  if (most <= 0) return nullptr;
  const Axes axes{.description = plot.title,
                  .x_label = "",
                  .y_label = plot.unit,
                  .y_max = most * plot_headroom,
                  .y_from = plot.logarithmic ? log_from(least) : 0};
  return {{"title", plot.title},
          {"words", plot.words},
          {"legend", legend_of_bars(plot.series)},
          {"plot", group_plot(axes, groups, plot.references)}};
}

template <class Round, class Member>
std::optional<double> value_of(const std::optional<Round>& round, Member member) {
  if (!round) return {};
  return (*round).*member;
}

nlohmann::json alone_plot(const std::vector<LockFigures>& all) {
  std::vector<double> trips;
  for (const auto& figures : all) {
    for (const auto& round : figures.uncontended) trips.push_back(round.round_trip_us);
  }
  const auto trip = spread(std::move(trips)).median;
  return plot_values(
      {.title = "Alone",
       .words = "Acquire and release while nobody else wants the key. The line is one "
                "round trip of a framed message between two masters, measured in the "
                "same rounds. Logarithmic.",
       .unit = "µs",
       .series = {"median", "99 %"},
       .logarithmic = true,
       .references = {{.label = "one round trip: " + format_ms(trip) + " µs", .y = trip}}},
      all, [](const LockFigures& figures) -> Values {
        const auto alone = summarise(figures).uncontended;
        return {value_of(alone, &UncontendedRound::p50_us),
                value_of(alone, &UncontendedRound::p99_us)};
      });
}

nlohmann::json throughput_plot(const std::vector<LockFigures>& all) {
  return plot_values(
      {.title = "Contended",
       .words = "Grants per second of all masters together: on one key that every master wants at "
                "once again, how many of these went to another master than the one before, and on "
                "many keys. Logarithmic.",
       .unit = "per second",
       .series = {"one key", "handed over", "many keys"},
       .logarithmic = true,
       .references = {}},
      all, [](const LockFigures& figures) -> Values {
        const auto summary = summarise(figures);
        return {value_of(summary.one_key, &ContendedRound::per_second),
                value_of(summary.one_key, &ContendedRound::handovers_per_second),
                value_of(summary.many_keys, &ContendedRound::per_second)};
      });
}

nlohmann::json fairness_plot(const std::vector<LockFigures>& all) {
  return plot_values({.title = "Fairness on one key",
                      .words = "Jain's index over the masters' grants: 1 if all had as many.",
                      .unit = "index",
                      .series = {"Jain's index"},
                      .references = {{.label = "1: all had as many", .y = 1}}},
                     all, [](const LockFigures& figures) -> Values {
                       return {value_of(summarise(figures).one_key, &ContendedRound::fairness)};
                     });
}

nlohmann::json messages_plot(const std::vector<LockFigures>& all) {
  return plot_values(
      {.title = "Messages per acquisition",
       .words = "Of all masters together. For a lock that lives in a server: requests and replies "
                "of the masters, not what the servers say to each other.",
       .unit = "messages",
       .series = {"alone", "one key"},
       .references = {}},
      all, [](const LockFigures& figures) -> Values {
        const auto summary = summarise(figures);
        return {value_of(summary.uncontended, &UncontendedRound::messages),
                value_of(summary.one_key, &ContendedRound::messages)};
      });
}

nlohmann::json kill_plot(const std::vector<LockFigures>& all) {
  return plot_values({.title = "The holder is killed",
                      .words = "Time from the SIGKILL of the holder to the grant of one who waits. "
                               "Logarithmic.",
                      .unit = "ms",
                      .series = {"median", "longest"},
                      .logarithmic = true,
                      .references = {}},
                     all, [](const LockFigures& figures) -> Values {
                       const auto gap = summarise(figures).without_holder_ms;
                       if (!gap) return {{}, {}};
                       return {gap->median, gap->max};
                     });
}

nlohmann::json burst_plot(const std::vector<LockFigures>& all,
                          const std::vector<RunResult>& bursts) {
  return plot_values(
      {.title = "The burst: time to match",
       .words = "99 % of the players had their seat within so long, boot of the game "
                "included. Median and longest over the seeds.",
       .unit = "ms",
       .series = {"median", "longest"},
       .references = {}},
      all, [&](const LockFigures& figures) -> Values {
        std::vector<double> p99;
        for (const auto* run : runs_of(bursts, figures.lock)) {
          p99.push_back(run->verdict.match_ms.p99);
        }
        if (p99.empty()) return {{}, {}};
        const auto over = spread(std::move(p99));
        return {over.median, over.max};
      });
}

std::vector<std::string> faults_of(const std::vector<LockFigures>& all,
                                   const std::vector<RunResult>& bursts) {
  std::vector<std::string> faults;
  for (const auto& figures : all) {
    if (!figures.failure.empty()) faults.push_back(figures.lock + ": " + figures.failure);
    for (const auto& fault : faults_of(figures)) faults.push_back(figures.lock + ": " + fault);
  }
  for (const auto& run : bursts) {
    for (const auto& fault : run.faults()) {
      faults.push_back(fmt::format("{}, seed {}: {}", run.lock, run.seed, fault));
    }
  }
  return faults;
}

Facts facts_of(const Options& options, bool with_burst) {
  const auto number = [](auto value) { return std::to_string(value); };
  const auto& bench = options.bench;
  Facts facts{{"masters", number(options.cluster.masters)},
              {"rounds", number(bench.rounds)},
              {"acquisitions of a round", number(bench.measured.count)},
              {"contended", format_ms(bench.measured.seconds) + " s a round"},
              {"many keys", fmt::format("{}, {} at a time a master", bench.measured.keys,
                                        bench.measured.in_flight)},
              {"kills", number(bench.measured.kills)},
              {"lease", fmt::format("{} ms", bench.lease_ms)}};
  if (with_burst) {
    facts.emplace_back(
        "burst", fmt::format("{} players, {} seeds", options.workload.players, options.seeds));
  }
  return facts;
}

}  // namespace

std::string locks_report(const std::vector<LockFigures>& all, const std::vector<RunResult>& bursts,
                         const Options& options, const ReportHeader& header) {
  auto plots = nlohmann::json::array();
  for (auto& plot : {alone_plot(all), throughput_plot(all), fairness_plot(all), messages_plot(all),
                     kill_plot(all), burst_plot(all, bursts)}) {
    if (!plot.is_null()) plots.push_back(plot);
  }
  const nlohmann::json values{{"masters", options.cluster.masters},
                              {"plots", std::move(plots)},
                              {"cost", table_html(lock_cost_table(all))},
                              {"contention", table_html(lock_contention_table(all))},
                              {"failure", table_html(lock_failure_table(all, bursts))},
                              {"faults", faults_of(all, bursts)}};
  return page_html("What a lock costs", fill_template(locks_template(), values),
                   facts_of(options, !bursts.empty()), header);
}

}  // namespace fixkeep::client_sim
