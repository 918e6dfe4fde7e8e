#include "lab/locks/bench.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <optional>
#include <thread>

#include "common/base/percentiles.hpp"
#include "common/net/steady_clock.hpp"
#include "lab/locks/log.hpp"

namespace fixkeep::client_sim {

namespace {

using nlohmann::json;
using std::chrono::milliseconds;

constexpr milliseconds answer_limit{10'000};
constexpr milliseconds slow_limit{300'000};  // enough to take a slow lock (100 ms) about 1000 times
constexpr milliseconds spread_time{100};     // after this time all nodes know of an acquire
constexpr milliseconds patience{5};          // time to poll one waiting node

// The time on the machine's monotonic clock, which the nodes also use for `at_us`.
std::int64_t monotonic_us() {
  return net::steady_now().time_since_epoch().count();
}

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

template <class Round>
void add_cost(const Sent& before, const Sent& after, Round& round) {
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

// Reads one node's log into `acquires`.
std::string take_log(const std::filesystem::path& path, std::size_t node,
                     std::vector<Acquire>& acquires) {
  std::ifstream file{path};
  const std::string text{std::istreambuf_iterator<char>{file}, {}};
  if (!file) return path.string() + " cannot be read";
  const auto wrong = read_lock_log(text, node, acquires);
  file.close();
  std::error_code ignored;
  std::filesystem::remove(path, ignored);
  return wrong == 0 ? "" : path.string() + " has lines that are not understood";
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
  const auto log_of = [&](std::size_t index) {
    return nodes.options().folder / ("grants-" + std::to_string(index + 1));
  };
  const auto start = monotonic_us() + 100'000;  // by then all nodes have the command
  for (std::size_t index = 0; index < nodes.size(); ++index) {
    const auto said = nodes.node(index).say({{"do", "contend"},
                                             {"keys", many ? options.keys : 1},
                                             {"in_flight", many ? options.in_flight : 1},
                                             {"hold_us", options.hold_us},
                                             {"seconds", options.seconds},
                                             {"seed", options.seed + 100 * number + index},
                                             {"at_us", start},
                                             {"log", log_of(index).string()}});
    if (!said) return nodes.node(index).name() + " has ended";
  }
  const milliseconds limit{static_cast<std::int64_t>(options.seconds * 1000) + 30'000};
  std::vector<Acquire> acquires;
  double seconds = 0;  // a very fast lock may fill its log before the measurement ends
  for (std::size_t index = 0; index < nodes.size(); ++index) {
    const auto reply = nodes.node(index).answer("contend", limit);
    if (!reply) return reply.failure;
    seconds = std::max(seconds, reply.line.at("seconds").get<double>());
    if (failure = take_log(log_of(index), index, acquires); !failure.empty()) return failure;
  }
  const auto after = sent_so_far(nodes, failure);
  if (!after) return failure;
  auto round = round_of(judge_history(std::move(acquires), nodes.size()), seconds);
  add_cost(*before, *after, round);
  rounds.push_back(round);
  return {};
}

// If a node in `waiting` has the lock, makes the node release the lock and removes it from
// `waiting`. Returns the time of the first grant, if there was a grant.
std::optional<std::int64_t> let_through(LockNodes& nodes, std::vector<std::size_t>& waiting,
                                        const std::string& key, std::string& failure) {
  std::optional<std::int64_t> first;
  for (const auto index : std::vector{waiting}) {
    auto& node = nodes.node(index);
    const auto reply = node.event("granted", patience);
    if (!reply) {
      if (!node.process().running()) failure = reply.failure;
      continue;
    }
    const auto at = reply.line.at("at_us").get<std::int64_t>();
    first = std::min(first.value_or(at), at);
    std::erase(waiting, index);
    const auto released = node.ask({{"do", "release"}, {"key", key}}, answer_limit);
    if (!released) failure = released.failure;
  }
  return first;
}

// Calls let_through() until one node (with `all`: every node) has got the lock, or `limit` has
// passed.
std::optional<std::int64_t> wait_for_grants(LockNodes& nodes, std::vector<std::size_t>& waiting,
                                            const std::string& key, bool all, milliseconds limit,
                                            std::string& failure) {
  std::optional<std::int64_t> first;
  const auto end = std::chrono::steady_clock::now() + limit;
  while (failure.empty() && !waiting.empty() && (all || !first) &&
         std::chrono::steady_clock::now() < end) {
    const auto at = let_through(nodes, waiting, key, failure);
    if (!first) first = at;
  }
  return first;
}

// Makes the victim hold the key and the other nodes wait for it.
std::string set_the_scene(LockNodes& nodes, std::size_t victim, const std::string& key,
                          std::vector<std::size_t>& waiting) {
  const milliseconds lease{nodes.options().lease_ms};
  auto& holder = nodes.node(victim);
  if (const auto asked = holder.ask({{"do", "acquire"}, {"key", key}}, answer_limit); !asked) {
    return asked.failure;
  }
  if (const auto granted = holder.event("granted", 2 * lease + answer_limit); !granted) {
    return granted.failure;
  }
  for (std::size_t index = 0; index < nodes.size(); ++index) {
    if (index == victim) continue;
    const auto asked = nodes.node(index).ask({{"do", "acquire"}, {"key", key}}, answer_limit);
    if (!asked) return asked.failure;
    waiting.push_back(index);
  }
  std::this_thread::sleep_for(spread_time);
  return {};
}

enum class HolderEnd : std::uint8_t { killed, vanished };

std::string measure_kill(LockNodes& nodes, std::size_t victim, HolderEnd end, std::uint32_t number,
                         LockFigures& figures) {
  const bool vanishes = end == HolderEnd::vanished;
  const auto key = (vanishes ? "vanished-" : "killed-") + std::to_string(number);
  std::vector<std::size_t> waiting;
  if (auto failure = set_the_scene(nodes, victim, key, waiting); !failure.empty()) return failure;
  const auto killed = monotonic_us();
  if (vanishes) {
    nodes.freeze(victim);
  } else {
    nodes.kill(victim);
  }
  const milliseconds limit{3 * nodes.options().lease_ms + 1000};
  std::string failure;
  const auto granted = wait_for_grants(nodes, waiting, key, /*all=*/false, limit, failure);
  auto& gaps = vanishes ? figures.vanished : figures.killed;
  if (granted) {
    if (*granted < killed) ++figures.granted_before_kill;
    gaps.without_holder_ms.push_back(static_cast<double>(*granted - killed) / 1000);
  } else {
    ++gaps.never_granted;  // for example because a quorum needs the dead node
  }
  if (vanishes) nodes.kill(victim);
  if (failure.empty()) failure = nodes.restart(victim);
  (void)wait_for_grants(nodes, waiting, key, /*all=*/true, limit + answer_limit, failure);
  if (failure.empty() && !waiting.empty()) {
    failure = "some waiting masters never got the lock, although all masters are back";
  }
  return failure;
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

void measure_kills(LockNodes& nodes, const LocksBenchOptions& options, const Note& note,
                   LockFigures& figures) {
  for (const HolderEnd end : {HolderEnd::killed, HolderEnd::vanished}) {
    for (std::uint32_t number = 0; number < options.kills && figures.failure.empty(); ++number) {
      note(fmt::format("{} a holder, {} of {}", end == HolderEnd::killed ? "killing" : "freezing",
                       number + 1, options.kills));
      figures.failure = measure_kill(nodes, number % nodes.size(), end, number, figures);
    }
  }
}

}  // namespace fixkeep::client_sim
