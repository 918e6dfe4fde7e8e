// Visits the players of a claim: first the requesting player, then the party.
//
// Thread rule: a free function over a value. Bounds: wire::limits::party. Errors: none.
#pragma once

#include <vector>

#include "common/base/ids.hpp"
#include "common/wire/messages.hpp"

namespace fixkeep::master {

void each_player(const wire::Claim& claim, auto visit) {
  visit(claim.player);
  for (const PlayerId& player : claim.party) visit(player);
}

[[nodiscard]] inline std::vector<PlayerId> players_of(const wire::Claim& claim) {
  std::vector<PlayerId> players;
  each_player(claim, [&](const PlayerId& player) { players.push_back(player); });
  return players;
}

}  // namespace fixkeep::master
