#include "lab/own_lock/figures.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "client-sim/report/run_json.hpp"
#include "common/base/percentiles.hpp"

namespace fixkeep::own_lock {
namespace {

using client_sim::format_ms;

double ms_of(Duration time) {
  return static_cast<double>(time.count()) / 1000;
}

std::vector<double> ms_of(const std::vector<Duration>& times) {
  std::vector<double> ms;
  ms.reserve(times.size());
  for (const Duration time : times) ms.push_back(ms_of(time));
  return ms;
}

void add(const Figures& more, Figures& sum) {
  sum.holds += more.holds;
  sum.lost += more.lost;
  sum.overlaps += more.overlaps;
  sum.two_believers += more.two_believers;
  sum.writes += more.writes;
  sum.stale_writes += more.stale_writes;
  sum.past_the_fence += more.past_the_fence;
  sum.tokens += more.tokens;
  sum.fenced += more.fenced;
  sum.tokens_fell += more.tokens_fell;
  sum.never_granted += more.never_granted;
  sum.messages += more.messages;
  sum.open_wait = std::max(sum.open_wait, more.open_wait);
  sum.waits.insert(sum.waits.end(), more.waits.begin(), more.waits.end());
  sum.no_holder.insert(sum.no_holder.end(), more.no_holder.begin(), more.no_holder.end());
  sum.shares.resize(more.shares.size());
  for (std::size_t node = 0; node < more.shares.size(); ++node) {
    sum.shares[node] += more.shares[node];
  }
}

// The time without a holder: median and longest; "never" counts as infinite.
Percentiles gaps_of(const Figures& figures) {
  std::vector<double> gaps = ms_of(figures.no_holder);
  gaps.insert(gaps.end(), figures.never_granted, std::numeric_limits<double>::infinity());
  return percentiles(std::move(gaps));
}

Percentiles waits_of(const Figures& figures) {
  std::vector<double> waits = ms_of(figures.waits);
  if (figures.open_wait > Duration{0}) waits.push_back(ms_of(figures.open_wait));
  return percentiles(std::move(waits));
}

bool has_gaps(const Figures& figures) {
  return !figures.no_holder.empty() || figures.never_granted > 0;
}

}  // namespace

std::vector<Row> rows_of(const std::vector<TrialResult>& trials) {
  std::vector<Row> rows;
  for (const TrialResult& trial : trials) {
    auto row = std::ranges::find(rows, trial.fault, &Row::fault);
    if (row == rows.end()) row = rows.insert(rows.end(), Row{trial.fault, 0, {}});
    ++row->trials;
    add(trial.figures, row->sum);
  }
  return rows;
}

client_sim::Table table_of(const std::vector<Row>& rows) {
  client_sim::Table table{{"fault", "holds", "lost", "overlaps", "overlap ms", "stale writes",
                           "past the fence", "wait p50 ms", "longest wait", "no holder ms",
                           "longest", "fairness", "messages a hold"}};
  for (const auto& [fault, trials, sum] : rows) {
    const Percentiles waits = waits_of(sum);
    const bool gaps = has_gaps(sum);
    const double holds = std::max<double>(1, static_cast<double>(sum.holds));
    table.push_back(
        {std::string{to_string(fault)}, std::to_string(sum.holds), std::to_string(sum.lost),
         std::to_string(sum.overlaps), format_ms(ms_of(sum.two_believers)),
         std::to_string(sum.stale_writes),
         sum.tokens > 0 ? std::to_string(sum.past_the_fence) : "no token", format_ms(waits.p50),
         format_ms(waits.max), gaps ? format_ms(gaps_of(sum).p50) : "-",
         gaps ? format_ms(gaps_of(sum).max) : "-", fmt::format("{:.2f}", jain_index(sum.shares)),
         fmt::format("{:.1f}", static_cast<double>(sum.messages) / holds)});
  }
  return table;
}

nlohmann::ordered_json json_of(const std::vector<Row>& rows) {
  auto all = nlohmann::ordered_json::array();
  for (const auto& [fault, trials, sum] : rows) {
    nlohmann::ordered_json row{{"fault", to_string(fault)},
                               {"trials", trials},
                               {"holds", sum.holds},
                               {"lost", sum.lost},
                               {"overlaps", sum.overlaps},
                               {"two_believers_ms", ms_of(sum.two_believers)},
                               {"writes", sum.writes},
                               {"stale_writes", sum.stale_writes},
                               {"past_the_fence", sum.past_the_fence},
                               {"tokens", sum.tokens},
                               {"fenced", sum.fenced},
                               {"tokens_fell", sum.tokens_fell},
                               {"no_holder_ms", ms_of(sum.no_holder)},
                               {"never_granted", sum.never_granted},
                               {"open_wait_ms", ms_of(sum.open_wait)},
                               {"messages", sum.messages},
                               {"fairness", jain_index(sum.shares)}};
    row["wait_ms"] = client_sim::quantiles_json(ms_of(sum.waits));
    all.push_back(std::move(row));
  }
  return all;
}

std::vector<std::string> faults_of(const std::vector<Row>& rows) {
  std::vector<std::string> faults;
  for (const auto& [fault, trials, sum] : rows) {
    const std::string where = fault == Fault::none
                                  ? "without a fault"
                                  : "with the fault \"" + std::string{to_string(fault)} + '"';
    // Two holders are also a fault in a trial with late messages: there no process is stopped, and
    // the lock's author can make the lease longer than the delay.
    const bool judged = fault == Fault::none || fault == Fault::delay;
    if (judged && sum.overlaps > 0) {
      faults.push_back(fmt::format("{}: {} times two nodes held one key", where, sum.overlaps));
    }
    if (fault == Fault::none && sum.lost > 0) {
      faults.push_back(fmt::format("{}: {} of {} holds were lost", where, sum.lost, sum.holds));
    }
    if (fault == Fault::none && sum.holds == 0) {
      faults.push_back(where + ": no node was granted a key");
    }
    if (sum.tokens_fell > 0) {
      faults.push_back(
          fmt::format("{}: {} tokens were not above all earlier tokens", where, sum.tokens_fell));
    }
    if (sum.tokens > 0 && sum.past_the_fence > 0) {
      faults.push_back(
          fmt::format("{}: {} stale writes passed the fence", where, sum.past_the_fence));
    }
  }
  return faults;
}

std::vector<std::string> remarks_of(const std::vector<Row>& rows) {
  std::vector<std::string> remarks;
  for (const auto& [fault, trials, sum] : rows) {
    const bool judged = fault == Fault::none || fault == Fault::delay;
    if (judged || sum.overlaps + sum.stale_writes == 0) continue;
    const char* end = sum.tokens > 0 ? "the fence refused the rest"
                                     : "the lock gives no token, so nothing could refuse them";
    remarks.push_back(fmt::format(
        "with the fault \"{}\": {} times two nodes held one key; {} stale writes, {} done; {}",
        to_string(fault), sum.overlaps, sum.stale_writes, sum.past_the_fence, end));
  }
  return remarks;
}

}  // namespace fixkeep::own_lock
