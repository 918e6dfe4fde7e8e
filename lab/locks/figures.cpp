#include "lab/locks/figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "client-sim/report/run_json.hpp"

namespace fixkeep::client_sim {

namespace {

using nlohmann::ordered_json;

constexpr const char* no_figure = "–";

// The median of one figure over the rounds.
template <class Round, class Get>
double median_of(const std::vector<Round>& rounds, Get get) {
  std::vector<double> values;
  values.reserve(rounds.size());
  for (const auto& round : rounds) values.push_back(static_cast<double>(get(round)));
  return spread(std::move(values)).median;
}

template <class Round, class Get>
auto most_of(const std::vector<Round>& rounds, Get get) {
  decltype(get(rounds.front())) most{};
  for (const auto& round : rounds) most = std::max(most, get(round));
  return most;
}

template <class Round, class Get>
std::uint64_t sum_of(const std::vector<Round>& rounds, Get get) {
  std::uint64_t sum = 0;
  for (const auto& round : rounds) sum += get(round);
  return sum;
}

std::optional<UncontendedRound> median_round(const std::vector<UncontendedRound>& rounds) {
  if (rounds.empty()) return {};
  const auto median = [&](double UncontendedRound::*member) {
    return median_of(rounds, [member](const UncontendedRound& round) { return round.*member; });
  };
  UncontendedRound made;
  for (auto member : {&UncontendedRound::p50_us, &UncontendedRound::p99_us,
                      &UncontendedRound::round_trip_us, &UncontendedRound::round_trip_all_us,
                      &UncontendedRound::messages, &UncontendedRound::bytes}) {
    made.*member = median(member);
  }
  return made;
}

// Most figures of the result are medians. Longest waits and overtakings are the maximum; losses,
// double holders and tokens that fell are the sum.
std::optional<ContendedRound> median_round(const std::vector<ContendedRound>& rounds) {
  if (rounds.empty()) return {};
  ContendedRound made;
  for (auto member :
       {&ContendedRound::per_second, &ContendedRound::handovers_per_second,
        &ContendedRound::fairness, &ContendedRound::wait_p50_us, &ContendedRound::wait_p99_us,
        &ContendedRound::messages, &ContendedRound::bytes}) {
    made.*member =
        median_of(rounds, [member](const ContendedRound& round) { return round.*member; });
  }
  made.longest_wait_ms = most_of(rounds, [](const auto& round) { return round.longest_wait_ms; });
  made.longest_overtaking =
      most_of(rounds, [](const auto& round) { return round.longest_overtaking; });
  for (auto member :
       {&ContendedRound::losses, &ContendedRound::double_holders, &ContendedRound::tokens_fell}) {
    made.*member = sum_of(rounds, [member](const auto& round) { return round.*member; });
  }
  return made;
}

std::optional<double> median_ratio(const std::vector<UncontendedRound>& rounds, auto divisor) {
  if (rounds.empty()) return {};
  return median_of(rounds, [&](const UncontendedRound& round) {
    return round.p50_us / std::max(divisor(round), 0.001);
  });
}

template <class Summary, class Get>
std::string cell(const std::optional<Summary>& summary, Get get) {
  return summary ? short_number(static_cast<double>(get(*summary))) : no_figure;
}

// If there are messages but 0 bytes, the client library hides its bytes.
template <class Summary>
std::string bytes_cell(const std::optional<Summary>& summary) {
  if (!summary || (summary->bytes == 0 && summary->messages > 0)) return no_figure;
  return short_number(summary->bytes);
}

ordered_json to_json(const UncontendedRound& round) {
  return {{"p50_us", round.p50_us},
          {"p99_us", round.p99_us},
          {"round_trip_p50_us", round.round_trip_us},
          {"round_trip_all_p50_us", round.round_trip_all_us},
          {"messages", round.messages},
          {"bytes", round.bytes}};
}

ordered_json to_json(const ContendedRound& round) {
  return {{"per_second", round.per_second},
          {"handovers_per_second", round.handovers_per_second},
          {"fairness", round.fairness},
          {"wait_p50_us", round.wait_p50_us},
          {"wait_p99_us", round.wait_p99_us},
          {"longest_wait_ms", round.longest_wait_ms},
          {"longest_overtaking", round.longest_overtaking},
          {"messages", round.messages},
          {"bytes", round.bytes},
          {"losses", round.losses},
          {"double_holders", round.double_holders},
          {"tokens_fell", round.tokens_fell}};
}

template <class Round>
ordered_json rounds_json(const std::vector<Round>& rounds, const std::optional<Round>& median) {
  auto list = ordered_json::array();
  for (const auto& round : rounds) list.push_back(to_json(round));
  return {{"median", median ? to_json(*median) : ordered_json{}}, {"rounds", std::move(list)}};
}

ordered_json to_object(const LockFigures& figures) {
  const auto summary = summarise(figures);
  auto uncontended = rounds_json(figures.uncontended, summary.uncontended);
  uncontended["ratio_p50"] = summary.ratio ? ordered_json(*summary.ratio) : ordered_json{};
  uncontended["ratio_all_p50"] =
      summary.ratio_all ? ordered_json(*summary.ratio_all) : ordered_json{};
  return {{"lock", figures.lock},
          {"uncontended", std::move(uncontended)},
          {"one_key", rounds_json(figures.one_key, summary.one_key)},
          {"many_keys", rounds_json(figures.many_keys, summary.many_keys)},
          {"without_holder_ms", figures.killed.without_holder_ms},
          {"never_granted", figures.killed.never_granted},
          {"vanished_ms", figures.vanished.without_holder_ms},
          {"never_granted_vanished", figures.vanished.never_granted},
          {"cut_ms", figures.cut.without_holder_ms},
          {"never_granted_cut", figures.cut.never_granted},
          {"two_believers", figures.two_believers},
          {"leader_ms", figures.leader.without_holder_ms},
          {"never_granted_leader", figures.leader.never_granted},
          {"granted_before_kill", figures.granted_before_kill},
          {"faults", faults_of(figures)},
          {"failure", figures.failure}};
}

// A row in the table of failures: whether a lock kept its promises, and the time after kills.
struct Promises {
  std::string lock;
  std::uint64_t two_holders = 0;
  std::uint64_t duplicates = 0;
  std::uint64_t rooms = 0;
  std::uint64_t ideal = 0;
  std::optional<double> without_ms;  // median time without a holder; infinite: no grant
  std::optional<double> longest_without_ms;
  std::optional<double> vanished_ms;
  std::optional<double> cut_ms;
  std::string two_believe;
  std::optional<double> leader_ms;
  std::optional<double> burst_p99_ms;
};

Promises promises_of(const LockFigures& figures, const std::vector<RunResult>& bursts) {
  Promises row{.lock = figures.lock, .two_holders = figures.granted_before_kill};
  for (const auto* rounds : {&figures.one_key, &figures.many_keys}) {
    row.two_holders += sum_of(*rounds, [](const auto& round) { return round.double_holders; });
  }
  const auto summary = summarise(figures);
  if (const auto& gap = summary.killed_ms) {
    row.without_ms = gap->median;
    row.longest_without_ms = gap->max;
  }
  if (const auto& gap = summary.vanished_ms) row.vanished_ms = gap->median;
  if (const auto& gap = summary.leader_ms) row.leader_ms = gap->median;
  if (const auto& gap = summary.cut_ms) {
    row.cut_ms = gap->median;
    const auto cuts = figures.cut.without_holder_ms.size() + figures.cut.never_granted;
    row.two_believe = fmt::format("{}/{}", figures.two_believers, cuts);
  }
  std::vector<double> p99;
  for (const auto* run : runs_of(bursts, figures.lock)) {
    p99.push_back(match_ms_of_all(*run).p99);
    row.rooms += run->verdict.rooms;
    row.ideal += run->verdict.ideal_rooms;
    row.duplicates += run->verdict.duplicate_rooms;
  }
  if (!p99.empty()) row.burst_p99_ms = spread(std::move(p99)).median;
  return row;
}

// Compares the faults first, then the longest times without a holder. A missing time is worse than
// "never".
bool is_better(const Promises& one, const Promises& other) {
  const auto rank = [](const Promises& row) {
    return std::tuple{row.two_holders, row.duplicates, !row.longest_without_ms.has_value(),
                      row.longest_without_ms.value_or(0)};
  };
  return rank(one) < rank(other);
}

}  // namespace

std::string short_number(double value) {
  std::string digits = format_ms(value);
  if (std::isinf(value)) return digits;
  for (auto at = static_cast<std::ptrdiff_t>(digits.size()) - 3;
       at > 0 && digits.find('.') == std::string::npos; at -= 3) {
    digits.insert(static_cast<std::size_t>(at), " ");
  }
  return digits;
}

std::vector<std::string> faults_of(const LockFigures& figures) {
  std::vector<std::string> list;
  if (!promises_no_duplicates(figures.lock)) return list;
  const auto blame = [&list](std::uint64_t count, const std::string& what) {
    if (count > 0) list.push_back(fmt::format("{} {}", count, what));
  };
  std::uint64_t double_holders = 0;
  std::uint64_t tokens_fell = 0;
  for (const auto* rounds : {&figures.one_key, &figures.many_keys}) {
    for (const auto& round : *rounds) {
      double_holders += round.double_holders;
      tokens_fell += round.tokens_fell;
    }
  }
  blame(double_holders, "grants while another node held the key");
  blame(tokens_fell, "grants with a token that was not above the one before");
  blame(figures.granted_before_kill, "grants of a key before its holder was killed");
  blame(figures.unfenced_believers,
        "grants without a fence while the holder before still believed that it held the key");
  return list;
}

namespace {

std::optional<Spread> spread_of(const Gaps& gaps) {
  auto ms = gaps.without_holder_ms;
  ms.insert(ms.end(), gaps.never_granted, never);
  if (ms.empty()) return {};
  return spread(std::move(ms));
}

}  // namespace

LockSummary summarise(const LockFigures& figures) {
  LockSummary summary;
  summary.uncontended = median_round(figures.uncontended);
  summary.ratio = median_ratio(figures.uncontended,
                               [](const UncontendedRound& round) { return round.round_trip_us; });
  summary.ratio_all = median_ratio(
      figures.uncontended, [](const UncontendedRound& round) { return round.round_trip_all_us; });
  summary.one_key = median_round(figures.one_key);
  summary.many_keys = median_round(figures.many_keys);
  summary.killed_ms = spread_of(figures.killed);
  summary.vanished_ms = spread_of(figures.vanished);
  summary.cut_ms = spread_of(figures.cut);
  summary.leader_ms = spread_of(figures.leader);
  return summary;
}

Table lock_cost_table(const std::vector<LockFigures>& all) {
  Table table{{"lock", "p50 µs", "p99 µs", "round trip µs", "ratio", "to all µs", "ratio",
               "messages", "bytes"}};
  for (const auto& figures : all) {
    const auto summary = summarise(figures);
    const auto& alone = summary.uncontended;
    table.push_back({figures.lock, cell(alone, [](const auto& s) { return s.p50_us; }),
                     cell(alone, [](const auto& s) { return s.p99_us; }),
                     cell(alone, [](const auto& s) { return s.round_trip_us; }),
                     cell(summary.ratio, [](double ratio) { return ratio; }),
                     cell(alone, [](const auto& s) { return s.round_trip_all_us; }),
                     cell(summary.ratio_all, [](double ratio) { return ratio; }),
                     cell(alone, [](const auto& s) { return s.messages; }), bytes_cell(alone)});
  }
  return table;
}

Table lock_contention_table(const std::vector<LockFigures>& all) {
  Table table{{"lock", "fairness", "overtaken", "1 key: per s", "hand-overs/s", "p50 µs", "p99 µs",
               "longest µs", "messages", "many: per s", "p50 µs", "p99 µs"}};
  for (const auto& figures : all) {
    const auto summary = summarise(figures);
    const auto& one = summary.one_key;
    const auto& many = summary.many_keys;
    table.push_back({figures.lock, cell(one, [](const auto& s) { return s.fairness; }),
                     one ? std::to_string(one->longest_overtaking) : no_figure,
                     cell(one, [](const auto& s) { return s.per_second; }),
                     cell(one, [](const auto& s) { return s.handovers_per_second; }),
                     cell(one, [](const auto& s) { return s.wait_p50_us; }),
                     cell(one, [](const auto& s) { return s.wait_p99_us; }),
                     cell(one, [](const auto& s) { return s.longest_wait_ms * 1000; }),
                     cell(one, [](const auto& s) { return s.messages; }),
                     cell(many, [](const auto& s) { return s.per_second; }),
                     cell(many, [](const auto& s) { return s.wait_p50_us; }),
                     cell(many, [](const auto& s) { return s.wait_p99_us; })});
  }
  return table;
}

Table lock_failure_table(const std::vector<LockFigures>& all,
                         const std::vector<RunResult>& bursts) {
  std::vector<Promises> rows;
  rows.reserve(all.size());
  for (const auto& figures : all) rows.push_back(promises_of(figures, bursts));
  std::stable_sort(rows.begin(), rows.end(), is_better);
  Table table{{"lock", "two holders", "duplicates", "rooms", "killed: ms without", "at most ms",
               "vanished: ms without", "cut: ms", "two believe", "leader dead: ms",
               "burst p99 ms"}};
  for (const auto& row : rows) {
    const auto ms = [](const std::optional<double>& value) {
      return value ? short_number(*value) : no_figure;
    };
    const bool burst = row.burst_p99_ms.has_value();
    table.push_back({row.lock, std::to_string(row.two_holders),
                     burst ? std::to_string(row.duplicates) : no_figure,
                     burst ? fmt::format("{}/{}", row.rooms, row.ideal) : no_figure,
                     ms(row.without_ms), ms(row.longest_without_ms), ms(row.vanished_ms),
                     ms(row.cut_ms), row.cut_ms ? row.two_believe : no_figure, ms(row.leader_ms),
                     ms(row.burst_p99_ms)});
  }
  return table;
}

std::string to_json(const ordered_json& origin, const std::vector<LockFigures>& all,
                    const std::vector<RunResult>& bursts) {
  auto text = origin.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
  text.pop_back();
  text += ",\n\"locks\":[";
  const char* comma = "\n";
  for (const auto& figures : all) {
    text += comma + to_object(figures).dump(-1, ' ', false, ordered_json::error_handler_t::replace);
    comma = ",\n";
  }
  return text + "\n],\n\"runs\":" + runs_json(bursts) + "}\n";
}

}  // namespace fixkeep::client_sim
