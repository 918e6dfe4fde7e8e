// The players of one room, as a sorted vector of their hashes.
//
// Rooms have 1 to 10 000 seats and most have few: a sorted vector is one allocation, is searched
// in one cache line or two, and even in the largest room an insertion moves 80 kB at most. A node
// container would cost an allocation for every seat that is taken.
// Thread rule: a value.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "common/base/ids.hpp"

namespace fixkeep::master {

class PlayerSet {
 public:
  PlayerSet() = default;
  explicit PlayerSet(std::vector<PlayerHash> players) : players_(std::move(players)) {
    std::sort(players_.begin(), players_.end());
    players_.erase(std::unique(players_.begin(), players_.end()), players_.end());
  }

  bool insert(PlayerHash player) {
    const auto at = std::lower_bound(players_.begin(), players_.end(), player);
    if (at != players_.end() && *at == player) return false;
    players_.insert(at, player);
    return true;
  }
  bool erase(PlayerHash player) {
    const auto at = std::lower_bound(players_.begin(), players_.end(), player);
    if (at == players_.end() || *at != player) return false;
    players_.erase(at);
    return true;
  }
  [[nodiscard]] bool contains(PlayerHash player) const {
    return std::binary_search(players_.begin(), players_.end(), player);
  }
  [[nodiscard]] std::size_t size() const { return players_.size(); }
  [[nodiscard]] auto begin() const { return players_.begin(); }
  [[nodiscard]] auto end() const { return players_.end(); }

  friend bool operator==(const PlayerSet&, const PlayerSet&) = default;

 private:
  std::vector<PlayerHash> players_;
};

}  // namespace fixkeep::master
