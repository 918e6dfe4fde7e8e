// The players of one room, each once.
//
// Rooms have up to 10 000 seats, so the ids are in a hash table: a new player does not move the ids
// of the other players. Ids with the same hash are neighbours.
// Thread rule: a value.
#pragma once

#include <algorithm>
#include <cstddef>
#include <unordered_set>
#include <utility>
#include <vector>

#include "common/base/ids.hpp"

namespace fixkeep::master {

struct HashedPlayer {
  PlayerHash hash;
  PlayerId id;

  friend bool operator==(const HashedPlayer&, const HashedPlayer&) = default;
};

class PlayerSet {
 public:
  PlayerSet() = default;
  explicit PlayerSet(std::vector<HashedPlayer> players) {
    players_.reserve(players.size());
    for (HashedPlayer& player : players) insert(std::move(player));
  }

  bool insert(HashedPlayer player) {
    if (contains(player)) return false;
    players_.insert(std::move(player));
    return true;
  }
  bool erase(const HashedPlayer& player) {
    const auto at = find(player);
    if (at == players_.end()) return false;
    players_.erase(at);
    return true;
  }
  [[nodiscard]] bool contains(const HashedPlayer& player) const {
    return find(player) != players_.end();
  }
  // Returns whether a player has this hash.
  [[nodiscard]] bool contains(PlayerHash hash) const { return players_.contains(hash); }
  [[nodiscard]] std::size_t size() const { return players_.size(); }
  // Visits each hash of a player once.
  void each_hash(auto visit) const {
    const HashedPlayer* before = nullptr;
    for (const HashedPlayer& player : players_) {
      if (before == nullptr || player.hash != before->hash) visit(player.hash);
      before = &player;
    }
  }

  friend bool operator==(const PlayerSet&, const PlayerSet&) = default;

 private:
  struct HashOf {
    using is_transparent = void;
    std::size_t operator()(const HashedPlayer& player) const { return player.hash.number(); }
    std::size_t operator()(PlayerHash hash) const { return hash.number(); }
  };
  struct SameHash {
    using is_transparent = void;
    bool operator()(const HashedPlayer& a, const HashedPlayer& b) const { return a.hash == b.hash; }
    bool operator()(const HashedPlayer& a, PlayerHash b) const { return a.hash == b; }
    bool operator()(PlayerHash a, const HashedPlayer& b) const { return a == b.hash; }
  };
  using Table = std::unordered_multiset<HashedPlayer, HashOf, SameHash>;

  [[nodiscard]] Table::const_iterator find(const HashedPlayer& player) const {
    const auto [first, last] = players_.equal_range(player.hash);
    const auto at = std::find(first, last, player);
    return at == last ? players_.end() : at;
  }

  Table players_;
};

}  // namespace fixkeep::master
