// The players of one room, each once, in the order of their hashes.
//
// Rooms have 1 to 10 000 seats and most have few: a sorted vector is one allocation, is searched
// in one cache line or two, and even in the largest room an insertion moves 400 kB at most. A node
// container would cost an allocation for every seat that is taken.
// Thread rule: a value.
#pragma once

#include <algorithm>
#include <compare>
#include <cstddef>
#include <utility>
#include <vector>

#include "common/base/ids.hpp"

namespace fixkeep::master {

struct HashedPlayer {
  PlayerHash hash;  // compared first
  PlayerId id;

  friend auto operator<=>(const HashedPlayer&, const HashedPlayer&) = default;
};

class PlayerSet {
 public:
  PlayerSet() = default;
  explicit PlayerSet(std::vector<HashedPlayer> players) : players_(std::move(players)) {
    std::sort(players_.begin(), players_.end());
    players_.erase(std::unique(players_.begin(), players_.end()), players_.end());
  }

  bool insert(HashedPlayer player) {
    const auto at = std::lower_bound(players_.begin(), players_.end(), player);
    if (at != players_.end() && *at == player) return false;
    players_.insert(at, std::move(player));
    return true;
  }
  bool erase(const HashedPlayer& player) {
    const auto at = std::lower_bound(players_.begin(), players_.end(), player);
    if (at == players_.end() || *at != player) return false;
    players_.erase(at);
    return true;
  }
  [[nodiscard]] bool contains(const HashedPlayer& player) const {
    return std::binary_search(players_.begin(), players_.end(), player);
  }
  // Whether one of them has this hash.
  [[nodiscard]] bool contains(PlayerHash hash) const {
    const auto at = std::lower_bound(players_.begin(), players_.end(), hash,
                                     [](const auto& each, PlayerHash h) { return each.hash < h; });
    return at != players_.end() && at->hash == hash;
  }
  [[nodiscard]] std::size_t size() const { return players_.size(); }
  // Visits each of their hashes once.
  template <class Visit>
  void each_hash(Visit visit) const {
    for (std::size_t i = 0; i < players_.size(); ++i) {
      if (i == 0 || players_[i].hash != players_[i - 1].hash) visit(players_[i].hash);
    }
  }

  friend bool operator==(const PlayerSet&, const PlayerSet&) = default;

 private:
  std::vector<HashedPlayer> players_;
};

}  // namespace fixkeep::master
