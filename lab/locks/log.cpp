#include "lab/locks/log.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <tuple>

#include "common/base/percentiles.hpp"

namespace fixkeep::client_sim {

namespace {

std::string_view take_word(std::string_view& line) {
  const auto end = std::min(line.find(' '), line.size());
  const auto word = line.substr(0, end);
  line.remove_prefix(std::min(end + 1, line.size()));
  return word;
}

bool take_number(std::string_view& line, auto& number) {
  const auto word = take_word(line);
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  return error == std::errc{} && end == word.data() + word.size();
}

std::optional<AcquireOutcome> outcome_of(std::string_view word) {
  if (word == "granted") return AcquireOutcome::granted;
  if (word == "lost") return AcquireOutcome::lost;
  if (word == "abandoned") return AcquireOutcome::abandoned;
  return {};
}

std::optional<Acquire> read_acquire(std::string_view line, std::size_t node) {
  Acquire acquire;
  acquire.node = node;
  const auto outcome = outcome_of(take_word(line));
  if (!outcome || !take_number(line, acquire.key) || !take_number(line, acquire.counter) ||
      !take_number(line, acquire.asked_ns) || !take_number(line, acquire.ended_ns) ||
      !take_number(line, acquire.released_ns) || !line.empty()) {
    return {};
  }
  acquire.outcome = *outcome;
  return acquire;
}

// The grants of one key, ordered by time.
using Grants = std::vector<const Acquire*>;

void judge_key(const Grants& grants, LockHistory& history) {
  const Acquire* before = nullptr;
  std::map<std::size_t, std::int64_t> held_until;  // end of each node's last hold
  for (const auto* grant : grants) {
    const bool shared = std::any_of(held_until.begin(), held_until.end(), [&](const auto& held) {
      return held.first != grant->node && held.second > grant->ended_ns;
    });
    if (shared) ++history.double_holders;
    auto& until = held_until[grant->node];
    until = std::max(until, grant->released_ns);
    if (before != nullptr) {
      if (before->node != grant->node) ++history.handovers;
      if (std::tie(grant->counter, grant->node) <= std::tie(before->counter, before->node)) {
        ++history.tokens_fell;
      }
    }
    before = grant;
  }
}

// Counts the grants of the key to other nodes while this acquire waited.
std::uint64_t overtaken(const Acquire& acquire, const Grants& grants) {
  const auto first = std::upper_bound(
      grants.begin(), grants.end(), acquire.asked_ns,
      [](std::int64_t asked, const Acquire* grant) { return asked < grant->ended_ns; });
  std::uint64_t times = 0;
  for (auto at = first; at != grants.end() && (*at)->ended_ns < acquire.ended_ns; ++at) {
    if ((*at)->node != acquire.node) ++times;
  }
  return times;
}

}  // namespace

std::size_t read_lock_log(std::string_view text, std::size_t node, std::vector<Acquire>& acquires) {
  std::size_t wrong = 0;
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    if (const auto acquire = read_acquire(text.substr(0, end), node)) {
      acquires.push_back(*acquire);
    } else {
      ++wrong;
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return wrong;
}

LockHistory judge_history(std::vector<Acquire> acquires, std::size_t nodes) {
  std::sort(acquires.begin(), acquires.end(),
            [](const Acquire& a, const Acquire& b) { return a.ended_ns < b.ended_ns; });
  LockHistory history;
  std::map<std::uint32_t, Grants> keys;
  std::vector<std::uint64_t> shares(nodes, 0);
  for (const auto& acquire : acquires) {
    if (acquire.outcome != AcquireOutcome::granted) continue;
    keys[acquire.key].push_back(&acquire);
    ++shares[acquire.node];
    ++history.grants;
    history.waits_us.push_back(static_cast<double>(acquire.ended_ns - acquire.asked_ns) / 1000);
  }
  for (const auto& [key, grants] : keys) judge_key(grants, history);
  for (const auto& acquire : acquires) {
    if (acquire.outcome == AcquireOutcome::lost) ++history.losses;
    history.longest_wait_ns =
        std::max(history.longest_wait_ns, acquire.ended_ns - acquire.asked_ns);
    history.longest_overtaking =
        std::max(history.longest_overtaking, overtaken(acquire, keys[acquire.key]));
  }
  history.fairness = jain_index(shares);
  return history;
}

}  // namespace fixkeep::client_sim
