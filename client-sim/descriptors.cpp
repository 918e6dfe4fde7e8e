#include "client-sim/descriptors.hpp"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <cmath>

#include "common/process/self.hpp"

namespace fixkeep::client_sim {

std::size_t players_at_once(const Options& options) {
  const auto& workload = options.workload;
  if (workload.arrival != Arrival::churn) return workload.players;
  // `there_s` is the time from a player's request until the player leaves. The result is the mean
  // number of players that arrive in this time, plus five standard deviations of a Poisson
  // distribution.
  const double there_s =
      1 + (static_cast<double>(workload.stay.count()) + options.cluster.boot_ms) / 1000;
  const double mean = workload.rate * there_s;
  const double most = std::min(mean + 5 * std::sqrt(mean), static_cast<double>(workload.players));
  return static_cast<std::size_t>(std::ceil(most));
}

std::string lack_of_descriptors(std::size_t players, std::size_t limit) {
  const std::size_t needed = players + own_descriptors;
  if (needed <= limit) return {};
  const std::size_t fitting = limit > own_descriptors ? limit - own_descriptors : 0;
  return fmt::format(
      "{} players at once need {} open descriptors, and this process may have {}: raise its hard "
      "limit (ulimit -Hn {} as root; LimitNOFILE of a service; nofile of a container), or allow at "
      "most {} at once (--players; with churn --rate or --churn-stay-ms)",
      players, needed, limit, needed, fitting);
}

std::string make_room_for(const Options& options) {
  std::size_t players = 0;
  for (const auto arrival : options.arrivals) {
    players = std::max(players, players_at_once(with_arrival(options, arrival)));
  }
  players += options.idle_connections;  // each connection needs a descriptor, like a player
  std::size_t limit = process::raise_descriptor_limit();
  if (const rlim_t needed = players + own_descriptors; needed > limit) {
    const rlimit higher{.rlim_cur = needed, .rlim_max = needed};
    if (::setrlimit(RLIMIT_NOFILE, &higher) == 0) limit = needed;
  }
  return lack_of_descriptors(players, limit);
}

}  // namespace fixkeep::client_sim
