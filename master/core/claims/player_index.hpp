// Finds the claims of a player in all groups.
//
// Thread rule: a value, one owner. Bounds: the players of all claims. Errors: none.
#pragma once

#include <algorithm>
#include <cstddef>
#include <unordered_map>

#include "common/base/ids.hpp"
#include "common/wire/messages.hpp"
#include "master/core/groups/claim.hpp"
#include "master/core/seam/each_player.hpp"
#include "master/core/seam/player_hasher.hpp"

namespace fixkeep::master {

class PlayerIndex {
 public:
  explicit PlayerIndex(PlayerHasher hash = {}) : hash_(hash) {}

  void add(ClaimNumber number, const wire::Claim& claim) {
    each_player(claim, [&](const PlayerId& player) {
      claims_.emplace(hash_(player), Named{number, player});
    });
  }
  void remove(ClaimNumber number, const wire::Claim& claim) {
    each_player(claim, [&](const PlayerId& player) {
      const auto [first, last] = claims_.equal_range(hash_(player));
      const auto own = std::find_if(first, last, [&](const auto& entry) {
        return entry.second.number == number && entry.second.player == player;
      });
      if (own != last) claims_.erase(own);
    });
  }

  // Visits the claims of a player. The index must not change during the visit.
  void each_claim(const PlayerId& player, auto visit) const {
    const auto [first, last] = claims_.equal_range(hash_(player));
    for (auto at = first; at != last; ++at) {
      if (at->second.player == player) visit(at->second.number);
    }
  }
  // Counts for each player of `claim` the claims that name this player; returns the largest count.
  [[nodiscard]] std::size_t most_claims(const wire::Claim& claim) const {
    std::size_t most = 0;
    each_player(claim, [&](const PlayerId& player) {
      std::size_t count = 0;
      each_claim(player, [&](ClaimNumber) { ++count; });
      most = std::max(most, count);
    });
    return most;
  }

 private:
  struct Named {
    ClaimNumber number = 0;
    PlayerId player;
  };
  PlayerHasher hash_;
  std::unordered_multimap<PlayerHash, Named> claims_;
};

}  // namespace fixkeep::master
