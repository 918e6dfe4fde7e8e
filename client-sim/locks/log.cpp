#include "client-sim/locks/log.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <tuple>

namespace fixkeep::client_sim {

namespace {

std::string_view take_word(std::string_view& line) {
  const auto end = std::min(line.find(' '), line.size());
  const auto word = line.substr(0, end);
  line.remove_prefix(std::min(end + 1, line.size()));
  return word;
}

template <class Number>
bool take_number(std::string_view& line, Number& number) {
  const auto word = take_word(line);
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  return error == std::errc{} && end == word.data() + word.size();
}

std::optional<WishOutcome> outcome_of(std::string_view word) {
  if (word == "granted") return WishOutcome::granted;
  if (word == "lost") return WishOutcome::lost;
  if (word == "abandoned") return WishOutcome::abandoned;
  return {};
}

std::optional<Wish> read_wish(std::string_view line, std::size_t node) {
  Wish wish;
  wish.node = node;
  const auto outcome = outcome_of(take_word(line));
  if (!outcome || !take_number(line, wish.key) || !take_number(line, wish.counter) ||
      !take_number(line, wish.asked_ns) || !take_number(line, wish.ended_ns) ||
      !take_number(line, wish.released_ns) || !line.empty()) {
    return {};
  }
  wish.outcome = *outcome;
  return wish;
}

// The grants of one key in the order of their time.
using Grants = std::vector<const Wish*>;

void judge_key(const Grants& grants, LockHistory& history) {
  const Wish* before = nullptr;
  std::map<std::size_t, std::int64_t> held_until;  // of each node
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

// How often others were granted the key while this wish waited.
std::uint64_t overtaken(const Wish& wish, const Grants& grants) {
  const auto first = std::upper_bound(
      grants.begin(), grants.end(), wish.asked_ns,
      [](std::int64_t asked, const Wish* grant) { return asked < grant->ended_ns; });
  std::uint64_t times = 0;
  for (auto at = first; at != grants.end() && (*at)->ended_ns < wish.ended_ns; ++at) {
    if ((*at)->node != wish.node) ++times;
  }
  return times;
}

double jain(const std::vector<std::uint64_t>& shares) {
  double sum = 0;
  double squares = 0;
  for (const auto share : shares) {
    const auto value = static_cast<double>(share);
    sum += value;
    squares += value * value;
  }
  return squares > 0 ? sum * sum / (static_cast<double>(shares.size()) * squares) : 0;
}

}  // namespace

std::size_t read_lock_log(std::string_view text, std::size_t node, std::vector<Wish>& wishes) {
  std::size_t wrong = 0;
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    if (const auto wish = read_wish(text.substr(0, end), node)) {
      wishes.push_back(*wish);
    } else {
      ++wrong;
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return wrong;
}

LockHistory judge_history(std::vector<Wish> wishes, std::size_t nodes) {
  std::sort(wishes.begin(), wishes.end(),
            [](const Wish& a, const Wish& b) { return a.ended_ns < b.ended_ns; });
  LockHistory history;
  std::map<std::uint32_t, Grants> keys;
  std::vector<std::uint64_t> shares(nodes, 0);
  for (const auto& wish : wishes) {
    if (wish.outcome != WishOutcome::granted) continue;
    keys[wish.key].push_back(&wish);
    ++shares[wish.node];
    ++history.grants;
    history.waits_us.push_back(static_cast<double>(wish.ended_ns - wish.asked_ns) / 1000);
  }
  for (const auto& [key, grants] : keys) judge_key(grants, history);
  for (const auto& wish : wishes) {
    if (wish.outcome == WishOutcome::lost) ++history.losses;
    history.longest_wait_ns = std::max(history.longest_wait_ns, wish.ended_ns - wish.asked_ns);
    history.longest_overtaking =
        std::max(history.longest_overtaking, overtaken(wish, keys[wish.key]));
  }
  history.fairness = jain(shares);
  return history;
}

}  // namespace fixkeep::client_sim
