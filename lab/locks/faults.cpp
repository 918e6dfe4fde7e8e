#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <thread>

#include "lab/locks/bench.hpp"
#include "lab/locks/contend.hpp"

namespace fixkeep::client_sim {

namespace {

using std::chrono::milliseconds;

constexpr milliseconds spread_time{100};  // after this time all nodes know of an acquire
constexpr milliseconds patience{5};       // time to poll one waiting node

struct FirstGrant {
  std::int64_t at_us = 0;
  bool fenced = false;
};

// If a node in `waiting` has the lock, makes the node release the lock and removes it from
// `waiting`. Returns the first grant, if there was a grant.
std::optional<FirstGrant> let_through(LockNodes& nodes, std::vector<std::size_t>& waiting,
                                      const std::string& key, std::string& failure) {
  std::optional<FirstGrant> first;
  for (const auto index : std::vector{waiting}) {
    auto& node = nodes.node(index);
    const auto reply = node.event("granted", patience);
    if (!reply) {
      if (!node.process().running()) failure = reply.failure;
      continue;
    }
    const auto at = reply.line.at("at_us").get<std::int64_t>();
    if (!first || at < first->at_us) first = {at, reply.line.at("needs_fence").get<bool>()};
    std::erase(waiting, index);
    const auto released = node.ask({{"do", "release"}, {"key", key}}, answer_limit);
    // While a node was restarted, the lease of another one may have ended: the answer is an error.
    if (released.failure.find("\"lost\"") != std::string::npos) {
      (void)node.answer("release", answer_limit);
    } else if (!released) {
      failure = released.failure;
    }
  }
  return first;
}

// Calls let_through() until one node (with `all`: every node) has got the lock, or `limit` has
// passed.
std::optional<FirstGrant> wait_for_grants(LockNodes& nodes, std::vector<std::size_t>& waiting,
                                          const std::string& key, bool all, milliseconds limit,
                                          std::string& failure) {
  std::optional<FirstGrant> first;
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

enum class HolderEnd : std::uint8_t { killed, vanished, cut };

// Returns true if the holder believes that it holds the key when another node gets it.
bool believes(DrivenProcess& holder, std::int64_t granted_us) {
  const auto lost = holder.event("lost", patience);
  return !lost || lost.line.at("at_us").get<std::int64_t>() > granted_us;
}

std::string measure_end(LockNodes& nodes, std::size_t victim, HolderEnd end, std::uint32_t number,
                        LockFigures& figures) {
  const auto key = fmt::format("end-{}-{}", static_cast<int>(end), number);
  std::vector<std::size_t> waiting;
  if (auto failure = set_the_scene(nodes, victim, key, waiting); !failure.empty()) return failure;
  const auto ended = monotonic_us();
  std::string failure;
  if (end == HolderEnd::killed) nodes.kill(victim);
  if (end == HolderEnd::vanished) nodes.freeze(victim);
  if (end == HolderEnd::cut) failure = nodes.cut_outgoing(victim);
  const milliseconds limit{3 * nodes.options().lease_ms + 1000};
  const auto granted = wait_for_grants(nodes, waiting, key, /*all=*/false, limit, failure);
  auto& gaps = end == HolderEnd::killed     ? figures.killed
               : end == HolderEnd::vanished ? figures.vanished
                                            : figures.cut;
  if (granted) {
    if (granted->at_us < ended) ++figures.granted_before_kill;
    gaps.without_holder_ms.push_back(static_cast<double>(granted->at_us - ended) / 1000);
    if (end == HolderEnd::cut && believes(nodes.node(victim), granted->at_us)) {
      ++figures.two_believers;
      if (!granted->fenced) ++figures.unfenced_believers;
    }
  } else {
    ++gaps.never_granted;  // for example because a quorum needs the dead node
  }
  if (end != HolderEnd::killed) nodes.kill(victim);
  if (end == HolderEnd::cut && failure.empty()) failure = nodes.mend(victim);
  if (failure.empty()) failure = nodes.restart(victim);
  (void)wait_for_grants(nodes, waiting, key, /*all=*/true, limit + answer_limit, failure);
  if (failure.empty() && !waiting.empty()) {
    failure = "some waiting masters never got the lock, although all masters are back";
  }
  return failure;
}

// Returns the longest time between two grants that ended after `killed`; infinite if the time
// without a grant lasts until `end`.
double longest_pause_ms(const std::vector<Acquire>& acquires, std::int64_t killed_us,
                        std::int64_t end_us) {
  std::vector<std::int64_t> grants;
  for (const auto& each : acquires) {
    if (each.outcome == AcquireOutcome::granted) grants.push_back(each.ended_ns / 1000);
  }
  std::sort(grants.begin(), grants.end());
  auto before = killed_us;
  std::int64_t longest = 0;
  for (const auto at : grants) {
    if (at > killed_us) longest = std::max(longest, at - before);
    before = at;
  }
  return end_us - before >= longest ? never : static_cast<double>(longest) / 1000;
}

std::string measure_leader(LockNodes& nodes, EngineServers* servers,
                           const LocksBenchOptions& options, LockFigures& figures) {
  auto contenders = all_of(nodes);
  if (servers == nullptr) contenders.erase(contenders.begin());  // m1 is the coordinator
  const double seconds = 2 * nodes.options().lease_ms / 1000.0 + 3;
  std::int64_t killed_us = 0;
  Contention seen;
  auto failure = contend(
      nodes, contenders,
      {{"do", "contend"}, {"seconds", seconds}, {"hold_us", 2000}, {"seed", options.seed}},
      [&] {
        std::this_thread::sleep_for(5 * spread_time);
        killed_us = monotonic_us();
        if (servers == nullptr) {
          nodes.kill(0);
        } else {
          (void)servers->kill(servers->leader());
        }
      },
      seen);
  if (!failure.empty()) return failure;
  const double pause = longest_pause_ms(seen.acquires, killed_us, monotonic_us());
  if (std::isinf(pause)) {
    ++figures.leader.never_granted;
  } else {
    figures.leader.without_holder_ms.push_back(pause);
  }
  if (servers == nullptr) return nodes.restart(0);
  if (servers->size() > 1 && !servers->restart_killed()) return "a killed server does not start";
  return {};
}

}  // namespace

void measure_ends(LockNodes& nodes, const LocksBenchOptions& options, const Note& note,
                  LockFigures& figures) {
  const auto measure = [&](HolderEnd end, const char* what) {
    for (std::uint32_t number = 0; number < options.kills && figures.failure.empty(); ++number) {
      note(fmt::format("{} a holder, {} of {}", what, number + 1, options.kills));
      figures.failure = measure_end(nodes, number % nodes.size(), end, number, figures);
    }
  };
  if (nodes.options().relayed) return measure(HolderEnd::cut, "cutting off");
  measure(HolderEnd::killed, "killing");
  measure(HolderEnd::vanished, "freezing");
}

void measure_leaders(LockNodes& nodes, EngineServers* servers, const LocksBenchOptions& options,
                     const Note& note, LockFigures& figures) {
  if (servers == nullptr ? figures.lock != "coordinator" : figures.lock == "redlock") return;
  // A single server stays dead, so its death is measured only once.
  const bool alone = servers != nullptr && servers->size() == 1;
  const auto count = alone ? std::min(options.kills, 1U) : options.kills;
  for (std::uint32_t number = 0; number < count && figures.failure.empty(); ++number) {
    note(fmt::format("killing the leader, {} of {}", number + 1, count));
    figures.failure = measure_leader(nodes, servers, options, figures);
  }
}

}  // namespace fixkeep::client_sim
