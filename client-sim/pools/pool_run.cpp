#include "client-sim/pools/pool_run.hpp"

#include <algorithm>
#include <map>
#include <string>

namespace fixkeep::client_sim {

std::vector<double> spreads_of(const std::vector<PlayerRecord>& players, const PoolLoad& load,
                               const master::plan::Rules& rules) {
  std::vector<double> spreads;
  if (rules.distances.empty()) return spreads;
  const std::size_t number = rules.distances.front().number;
  std::map<std::string, std::vector<std::int64_t>> rooms;
  for (std::size_t i = 0; i < players.size() && i < load.requests.size(); ++i) {
    if (!players[i].seated) continue;
    rooms[players[i].room].push_back(load.brought.at(PlayerId{load.requests[i].id}).at(number));
  }
  for (const auto& [room, numbers] : rooms) {
    if (numbers.size() < 2) continue;
    const auto [low, high] = std::minmax_element(numbers.begin(), numbers.end());
    spreads.push_back(static_cast<double>(*high - *low));
  }
  return spreads;
}

}  // namespace fixkeep::client_sim
