// The players of one room, each once, in the order of their hashes.
//
// A tree of them: a sorted vector would be one allocation and not one for each seat that is taken,
// but a seat in a room of thousands then moves half of their ids. Thread rule: a value.
#pragma once

#include <compare>
#include <cstddef>
#include <iterator>
#include <set>
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
  explicit PlayerSet(std::vector<HashedPlayer> players)
      : players_(std::make_move_iterator(players.begin()), std::make_move_iterator(players.end())) {
  }

  bool insert(HashedPlayer player) { return players_.insert(std::move(player)).second; }
  bool erase(const HashedPlayer& player) { return players_.erase(player) > 0; }
  [[nodiscard]] bool contains(const HashedPlayer& player) const {
    return players_.contains(player);
  }
  // Whether one of them has this hash.
  [[nodiscard]] bool contains(PlayerHash hash) const { return players_.contains(hash); }
  [[nodiscard]] std::size_t size() const { return players_.size(); }
  // Visits each of their hashes once.
  template <class Visit>
  void each_hash(Visit visit) const {
    const HashedPlayer* before = nullptr;
    for (const HashedPlayer& player : players_) {
      if (before == nullptr || player.hash != before->hash) visit(player.hash);
      before = &player;
    }
  }

  friend bool operator==(const PlayerSet&, const PlayerSet&) = default;

 private:
  struct Before {
    using is_transparent = void;

    bool operator()(const HashedPlayer& a, const HashedPlayer& b) const { return a < b; }
    bool operator()(const HashedPlayer& a, PlayerHash b) const { return a.hash < b; }
    bool operator()(PlayerHash a, const HashedPlayer& b) const { return a < b.hash; }
  };
  std::set<HashedPlayer, Before> players_;
};

}  // namespace fixkeep::master
