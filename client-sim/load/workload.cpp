#include "client-sim/load/workload.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "common/base/assert.hpp"
#include "common/base/random.hpp"

namespace fixkeep::client_sim {

namespace {

// Returns a random time between two independent events, at `rate` events a second on average.
std::chrono::microseconds exponential(Random& random, double rate) {
  const double seconds = -std::log(1.0 - random.unit()) / rate;
  return std::chrono::microseconds{static_cast<std::int64_t>(seconds * 1e6)};
}

template <class T>
void shuffle(std::vector<T>& values, Random& random) {
  for (std::size_t rest = values.size(); rest > 1; --rest) {
    std::swap(values[rest - 1], values[random.below(rest)]);
  }
}

}  // namespace

std::string_view to_string(Arrival arrival) {
  switch (arrival) {
    case Arrival::burst: return "burst";
    case Arrival::poisson: return "poisson";
    case Arrival::churn: return "churn";
  }
  return "?";
}

std::string group_name(std::size_t group) {
  return "g" + std::to_string(group);
}

std::vector<std::size_t> group_sizes(std::size_t players, std::size_t groups, double zipf) {
  FIXKEEP_ASSERT(groups > 0, "a workload needs a group");
  std::vector<double> weights(groups);
  for (std::size_t group = 0; group < groups; ++group) {
    weights[group] = 1.0 / std::pow(static_cast<double>(group + 1), zipf);
  }
  const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
  std::vector<std::size_t> sizes(groups);
  std::vector<double> remainders(groups);
  std::size_t given = 0;
  for (std::size_t group = 0; group < groups; ++group) {
    const double exact = static_cast<double>(players) * weights[group] / total;
    sizes[group] = static_cast<std::size_t>(exact);
    remainders[group] = exact - std::floor(exact);
    given += sizes[group];
  }
  std::vector<std::size_t> order(groups);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&remainders](std::size_t a, std::size_t b) {
    return remainders[a] > remainders[b];
  });
  for (std::size_t next = 0; given < players; ++next, ++given) ++sizes[order[next % groups]];
  return sizes;
}

Workload make_workload(const WorkloadOptions& options) {
  FIXKEEP_ASSERT(options.players > 0 && options.masters > 0, "a workload needs players, masters");
  FIXKEEP_ASSERT(options.arrival == Arrival::burst || options.rate > 0, "a rate must be positive");
  Random random{options.seed};
  std::vector<std::size_t> groups;
  groups.reserve(options.players);
  const auto sizes = group_sizes(options.players, options.groups, options.zipf);
  for (std::size_t group = 0; group < sizes.size(); ++group) {
    groups.insert(groups.end(), sizes[group], group);
  }
  shuffle(groups, random);

  Workload workload(options.players);
  std::chrono::microseconds now{0};
  for (std::size_t number = 0; number < workload.size(); ++number) {
    auto& player = workload[number];
    player.id = options.player_prefix + std::to_string(number);
    player.group = groups[number];
    // The order of the groups is already random. Masters are assigned in turn. So each master gets
    // the same share, and each group has a random mix of masters.
    player.master = number % options.masters;
    if (options.arrival == Arrival::burst) continue;
    now += exponential(random, options.rate);
    player.at = now;
    if (options.arrival == Arrival::churn) {
      const double mean_seconds = std::chrono::duration<double>(options.stay).count();
      // A stay is never zero, because zero means "until the end".
      player.stay = std::max(exponential(random, 1.0 / std::max(mean_seconds, 1e-3)),
                             std::chrono::microseconds{1});
    }
  }
  return workload;
}

}  // namespace fixkeep::client_sim
