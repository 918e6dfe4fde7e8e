// These functions find the other seats of a claim's players, and decide which of two seats counts
// more. Each player should have only one seat.
//
// Two masters may give a player seats in two rooms at the same instant. The rooms' workers report
// the two seats to both masters. Both masters apply the same rule (counts_more). If the claim of
// the seat that counts less is not answered yet, it gives its seats back. If both claims are
// answered, both seats remain.
//
// Thread rule: free functions over values of one owner.
#pragma once

#include "common/base/ids.hpp"
#include "master/core/directory/directory.hpp"
#include "master/core/groups/claim.hpp"

namespace fixkeep::master {

// Returns whether a seat in this mode and group excludes other seats for the claim's players.
[[nodiscard]] bool in_scope(const Waiting& waiting, const ModeName& mode, const GroupKey& group);
// The same for a room. If a match has two rooms, seats in the room that does not count for the
// match (room_of_match) exclude none.
[[nodiscard]] bool in_scope(const Directory& directory, const Waiting& waiting, const Room& room);

struct SeatsOfPlayers {
  const Room* own = nullptr;  // room of the claim's group where a player has a seat
  bool elsewhere = false;     // a player has a seat, but no player has a seat in `own`
  bool anywhere = false;      // a player has a seat
};
[[nodiscard]] SeatsOfPlayers seats_of_players(const Directory& directory, const Waiting& waiting);

// Returns whether a seat in `other` counts more than a seat in `own`. An open room counts more,
// because its player most likely has the answer already. If both rooms are starting, the room with
// the lower id counts more.
[[nodiscard]] bool counts_more(const Room& other, const Room& own);
// Returns a room where a player has a seat that counts more than a seat in `own`, or null.
[[nodiscard]] const Room* better_seat(const Directory& directory, const Waiting& waiting,
                                      const Room& own);

}  // namespace fixkeep::master
