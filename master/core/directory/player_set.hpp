// The players of one room, as a sorted vector of their hashes; two players may share one. Whose
// they are the directory knows.
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

// A directory finds this by the hash of the player.
struct KnownSeat {
  PlayerId player;
  RoomId room;
};

class PlayerSet {
 public:
  PlayerSet() = default;
  explicit PlayerSet(std::vector<PlayerHash> players) : players_(std::move(players)) {
    std::sort(players_.begin(), players_.end());
  }

  void insert(PlayerHash player) {
    players_.insert(std::lower_bound(players_.begin(), players_.end(), player), player);
  }
  // Takes out one of its players that have this hash.
  void erase(PlayerHash player) {
    const auto at = std::lower_bound(players_.begin(), players_.end(), player);
    if (at != players_.end() && *at == player) players_.erase(at);
  }
  [[nodiscard]] std::size_t size() const { return players_.size(); }
  [[nodiscard]] auto begin() const { return players_.begin(); }
  [[nodiscard]] auto end() const { return players_.end(); }

  friend bool operator==(const PlayerSet&, const PlayerSet&) = default;

 private:
  std::vector<PlayerHash> players_;
};

}  // namespace fixkeep::master
