#include "lab/locks/bench.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "common/base/percentiles.hpp"
#include "lab/locks/contend.hpp"

namespace fixkeep::client_sim {

namespace {

using nlohmann::json;
using std::chrono::milliseconds;

constexpr milliseconds slow_limit{300'000};  // enough to take a slow lock (100 ms) about 1000 times

// Totals of all nodes since their start.
struct Sent {
  double messages = 0;
  double bytes = 0;
  double acquisitions = 0;
};

std::optional<Sent> sent_so_far(LockNodes& nodes, std::string& failure) {
  Sent sent;
  for (std::size_t index = 0; index < nodes.size(); ++index) {
    const auto reply = nodes.node(index).ask({{"do", "statistics"}}, answer_limit);
    if (!reply) {
      failure = reply.failure;
      return {};
    }
    const auto& line = reply.line;
    sent.acquisitions += line.at("acquisitions").get<double>();
    sent.messages += line.at("messages_sent").get<double>();
    sent.bytes += line.at("bytes_sent").get<double>();
    if (!line.contains("engine")) continue;
    const auto& engine = line.at("engine");
    // A request and its reply count as two messages, as in a mesh.
    sent.messages += engine.at("requests_sent").get<double>();
    sent.messages += engine.at("replies_received").get<double>();
    sent.bytes += engine.at("bytes_sent").get<double>() + engine.at("bytes_received").get<double>();
  }
  return sent;
}

void add_cost(const Sent& before, const Sent& after, auto& round) {
  const auto acquired = std::max(1.0, after.acquisitions - before.acquisitions);
  round.messages = (after.messages - before.messages) / acquired;
  round.bytes = (after.bytes - before.bytes) / acquired;
}

// The measure functions return the failure; empty: success.
std::string measure_uncontended(LockNodes& nodes, const LocksBenchOptions& options,
                                std::uint32_t number, LockFigures& figures) {
  std::string failure;
  const auto before = sent_so_far(nodes, failure);
  if (!before) return failure;
  // Measures at the last master: some strategies favour the first masters, so their figures would
  // be too good.
  const auto last = nodes.size() - 1;
  const auto reply = nodes.node(last).ask({{"do", "uncontended"},
                                           {"key", "alone-" + std::to_string(number)},
                                           {"peer", 1},
                                           {"count", options.count},
                                           {"warm_up", options.count / 20},
                                           {"seconds", 2 * options.seconds}},
                                          slow_limit);
  if (!reply) return reply.failure;
  const auto after = sent_so_far(nodes, failure);
  if (!after) return failure;
  const auto& line = reply.line;
  UncontendedRound round;
  round.p50_us = line.at("lock_us").at("p50").get<double>();
  round.p99_us = line.at("lock_us").at("p99").get<double>();
  round.round_trip_us = line.at("round_trip_us").at("p50").get<double>();
  round.round_trip_all_us = line.at("round_trip_all_us").at("p50").get<double>();
  add_cost(*before, *after, round);
  figures.uncontended.push_back(round);
  return {};
}

ContendedRound round_of(LockHistory history, double seconds) {
  ContendedRound round;
  round.per_second = static_cast<double>(history.grants) / seconds;
  round.handovers_per_second = static_cast<double>(history.handovers) / seconds;
  round.fairness = history.fairness;
  round.longest_overtaking = history.longest_overtaking;
  round.longest_wait_ms = static_cast<double>(history.longest_wait_ns) / 1e6;
  const auto waits = percentiles(std::move(history.waits_us));
  round.wait_p50_us = waits.p50;
  round.wait_p99_us = waits.p99;
  round.losses = history.losses;
  round.double_holders = history.double_holders;
  round.tokens_fell = history.tokens_fell;
  return round;
}

std::string measure_contended(LockNodes& nodes, const LocksBenchOptions& options, bool many,
                              std::uint32_t number, std::vector<ContendedRound>& rounds) {
  std::string failure;
  const auto before = sent_so_far(nodes, failure);
  if (!before) return failure;
  Contention seen;
  failure = contend(
      nodes, all_of(nodes),
      {{"do", "contend"},
       {"keys", many ? options.keys : 1},
       {"in_flight", many ? options.in_flight : 1},
       {"hold_us", options.hold_us},
       {"seconds", options.seconds},
       {"seed", options.seed + 100 * number}},
      [] {}, seen);
  if (!failure.empty()) return failure;
  const auto after = sent_so_far(nodes, failure);
  if (!after) return failure;
  auto round = round_of(judge_history(std::move(seen.acquires), nodes.size()), seen.seconds);
  add_cost(*before, *after, round);
  rounds.push_back(round);
  return {};
}

}  // namespace

void measure_round(LockNodes& nodes, const LocksBenchOptions& options, std::uint32_t round,
                   const Note& note, LockFigures& figures) {
  note("uncontended");
  figures.failure = measure_uncontended(nodes, options, round, figures);
  if (!figures.failure.empty()) return;
  note("contended, 1 key");
  figures.failure = measure_contended(nodes, options, /*many=*/false, round, figures.one_key);
  if (!figures.failure.empty()) return;
  note(fmt::format("contended, {} keys", options.keys));
  figures.failure = measure_contended(nodes, options, /*many=*/true, round, figures.many_keys);
}

}  // namespace fixkeep::client_sim
