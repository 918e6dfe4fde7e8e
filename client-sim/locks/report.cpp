#include "client-sim/locks/report.hpp"

#include <fmt/format.h>

#include <functional>
#include <nlohmann/json.hpp>
#include <optional>

#include "client-sim/report/lock_style.hpp"
#include "client-sim/report/svg_rows.hpp"
#include "client-sim/report/template.hpp"

namespace fixkeep::client_sim {

namespace {

// One strategy is drawn with these: a bar for each value that there is. Infinite: it never
// happened.
using Values = std::vector<std::optional<double>>;
using Get = std::function<Values(const LockFigures&)>;

struct Plot {
  std::string name;  // of its file
  std::string title;
  std::string words;
  std::string unit;
  std::vector<std::string> series;  // names of the bars of a lock
  bool logarithmic = false;         // where the slowest is a thousand times the fastest
  std::vector<Reference> references;
};

// Adds the plot's picture, if there is something to draw.
void add_picture(const Plot& plot, const std::vector<LockFigures>& all, const Get& get,
                 std::vector<Picture>& pictures) {
  std::vector<Row> rows;
  bool any = false;
  for (const auto& figures : all) {
    Row row{.label = figures.lock, .style = style_of(figures.lock), .bars = {}};
    for (const auto& value : get(figures)) {
      any = any || value.value_or(0) > 0;
      row.bars.push_back({.value = value, .text = value ? short_number(*value) : std::string{}});
    }
    rows.push_back(std::move(row));
  }
  if (!any) return;
  Picture picture{.name = plot.name, .title = plot.title, .words = plot.words};
  if (plot.series.size() > 1) picture.series = plot.series;
  picture.cells.push_back({.lock = {},
                           .note = {},
                           .drawing = rows_plot({.description = plot.title,
                                                 .x_label = plot.unit,
                                                 .logarithmic = plot.logarithmic,
                                                 .references = plot.references},
                                                rows)});
  pictures.push_back(std::move(picture));
}

template <class Round, class Member>
std::optional<double> value_of(const std::optional<Round>& round, Member member) {
  if (!round) return {};
  return (*round).*member;
}

void add_alone_plot(const std::vector<LockFigures>& all, std::vector<Picture>& pictures) {
  std::vector<double> trips;
  for (const auto& figures : all) {
    for (const auto& round : figures.uncontended) trips.push_back(round.round_trip_us);
  }
  const auto trip = spread(std::move(trips)).median;
  add_picture(
      {.name = "alone",
       .title = "Alone",
       .words = "Acquire and release while nobody else wants the key. The line is one "
                "round trip of a framed message between two masters, measured in the "
                "same rounds. Logarithmic.",
       .unit = "µs",
       .series = {"median", "99 %"},
       .logarithmic = true,
       .references = {{.label = "one round trip: " + format_ms(trip) + " µs", .value = trip}}},
      all,
      [](const LockFigures& figures) -> Values {
        const auto alone = summarise(figures).uncontended;
        return {value_of(alone, &UncontendedRound::p50_us),
                value_of(alone, &UncontendedRound::p99_us)};
      },
      pictures);
}

void add_throughput_plot(const std::vector<LockFigures>& all, std::vector<Picture>& pictures) {
  add_picture(
      {.name = "contended",
       .title = "Contended",
       .words = "Grants per second of all masters together: on one key that every master wants at "
                "once again, how many of these went to another master than the one before, and on "
                "many keys. Logarithmic.",
       .unit = "per second",
       .series = {"one key", "handed over", "many keys"},
       .logarithmic = true,
       .references = {}},
      all,
      [](const LockFigures& figures) -> Values {
        const auto summary = summarise(figures);
        return {value_of(summary.one_key, &ContendedRound::per_second),
                value_of(summary.one_key, &ContendedRound::handovers_per_second),
                value_of(summary.many_keys, &ContendedRound::per_second)};
      },
      pictures);
}

void add_fairness_plot(const std::vector<LockFigures>& all, std::vector<Picture>& pictures) {
  add_picture(
      {.name = "fairness",
       .title = "Fairness on one key",
       .words = "Jain's index over the masters' grants: 1 if all had as many.",
       .unit = "index",
       .series = {"Jain's index"},
       .references = {{.label = "1: all had as many", .value = 1}}},
      all,
      [](const LockFigures& figures) -> Values {
        return {value_of(summarise(figures).one_key, &ContendedRound::fairness)};
      },
      pictures);
}

void add_messages_plot(const std::vector<LockFigures>& all, std::vector<Picture>& pictures) {
  add_picture(
      {.name = "messages",
       .title = "Messages per acquisition",
       .words = "Of all masters together. For a lock that lives in a server: requests and replies "
                "of the masters, not what the servers say to each other.",
       .unit = "messages",
       .series = {"alone", "one key"},
       .references = {}},
      all,
      [](const LockFigures& figures) -> Values {
        const auto summary = summarise(figures);
        return {value_of(summary.uncontended, &UncontendedRound::messages),
                value_of(summary.one_key, &ContendedRound::messages)};
      },
      pictures);
}

void add_kill_plot(const std::vector<LockFigures>& all, std::vector<Picture>& pictures) {
  add_picture(
      {.name = "holder-killed",
       .title = "The holder is killed",
       .words = "Time from the SIGKILL of the holder to the grant of one who waits; never: "
                "not before the dead one was started again. Logarithmic.",
       .unit = "ms",
       .series = {"median", "longest"},
       .logarithmic = true,
       .references = {}},
      all,
      [](const LockFigures& figures) -> Values {
        const auto gap = summarise(figures).without_holder_ms;
        if (!gap) return {{}, {}};
        return {gap->median, gap->max};
      },
      pictures);
}

void add_burst_plot(const std::vector<LockFigures>& all, const std::vector<RunResult>& bursts,
                    std::vector<Picture>& pictures) {
  add_picture(
      {.name = "burst",
       .title = "The burst: time to match",
       .words = "99 % of the players had their seat within so long, boot of the game "
                "included. Median and longest over the seeds.",
       .unit = "ms",
       .series = {"median", "longest"},
       .references = {}},
      all,
      [&](const LockFigures& figures) -> Values {
        std::vector<double> p99;
        for (const auto* run : runs_of(bursts, figures.lock)) {
          p99.push_back(match_ms_of_all(*run).p99);
        }
        if (p99.empty()) return {{}, {}};
        const auto over = spread(std::move(p99));
        return {over.median, over.max};
      },
      pictures);
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

std::vector<Picture> locks_pictures(const std::vector<LockFigures>& all,
                                    const std::vector<RunResult>& bursts) {
  std::vector<Picture> pictures;
  add_kill_plot(all, pictures);
  add_fairness_plot(all, pictures);
  add_alone_plot(all, pictures);
  add_throughput_plot(all, pictures);
  add_messages_plot(all, pictures);
  add_burst_plot(all, bursts, pictures);
  return pictures;
}

std::string locks_report(const std::vector<LockFigures>& all, const std::vector<RunResult>& bursts,
                         const Options& options, const ReportHeader& header) {
  std::string pictures;
  for (const auto& picture : locks_pictures(all, bursts)) pictures += picture_html(picture);
  const nlohmann::json values{{"masters", options.cluster.masters},
                              {"pictures", pictures},
                              {"cost", table_html(lock_cost_table(all))},
                              {"contention", table_html(lock_contention_table(all))},
                              {"failure", table_html(lock_failure_table(all, bursts))},
                              {"faults", faults_of(all, bursts)}};
  return page_html("What a lock costs", fill_template(locks_template(), values),
                   facts_of(options, !bursts.empty()), header);
}

}  // namespace fixkeep::client_sim
