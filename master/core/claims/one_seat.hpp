// One player, one seat. A claim has to heed the other seats and claims of its players. The rule for
// two seats is here too.
//
// Two masters may give a player seats in two rooms at the same instant. Both hear of it. A claim
// that still waits for its room to open gives its seats back. Both masters decide by the same rule
// (counts_more): one of the two seats stays.
//
// Thread rule: free functions over values of one owner.
#pragma once

#include "common/base/ids.hpp"
#include "master/core/directory/directory.hpp"
#include "master/core/groups/claim.hpp"

namespace fixkeep::master {

// Whether a seat in a room of this mode and group is the one that the claim's players may have.
[[nodiscard]] bool in_scope(const Waiting& waiting, const ModeName& mode, const GroupKey& group);

struct SeatsOfPlayers {
  const Room* own = nullptr;  // a room of the claim's group in which some of them have their seats
  bool elsewhere = false;     // a player has a seat, and none is in `own`
  bool anywhere = false;      // a player has a seat
};
[[nodiscard]] SeatsOfPlayers seats_of_players(const Directory& directory, const Waiting& waiting);

// An open room has most likely been told to its player. Of two starting rooms the lower id counts.
[[nodiscard]] bool counts_more(const Room& other, const Room& own);
// A room in which one of its players has a seat that counts more than one in `own`, or null.
[[nodiscard]] const Room* better_seat(const Directory& directory, const Waiting& waiting,
                                      const Room& own);

}  // namespace fixkeep::master
