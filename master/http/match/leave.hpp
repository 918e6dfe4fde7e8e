// DELETE /v1/seats/{token}: a player gives its seat back at any master.
//
// The token names player and room. Only the master and the room's worker can sign one. Naming the
// player is therefore enough: the worker ends all its reservations there. An expired token counts
// as long as its room lives: the seat may have been reserved anew since.
//
// An answer does not tell whether a player plays. It is the same for a right or forged token and
// for an existing or lost seat or room.
//
// Thread rule: as ApiCall. Errors: 400 invalid-request, 403 other-player, 503 worker-away and those
// of Intake::caller_of().
#pragma once

#include "master/http/call.hpp"

namespace fixkeep::master {

void leave_seat(const ApiCall& call);

}  // namespace fixkeep::master
