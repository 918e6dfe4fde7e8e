// DELETE /v1/seats/{token}: a player gives its seat back through any master.
//
// Only masters and the room's worker can sign a token. The token thus proves the names of the
// player and the room, and nothing else is needed: the worker ends all reservations of this player
// in the room. An expired token is accepted while its room exists, because the seat may have been
// reserved again meanwhile.
//
// An answer does not reveal whether a player has a seat. The answer is the same for a valid or
// forged token, and for an existing or missing seat or room.
//
// Thread rule: the same as for ApiCall. Errors: 400 invalid-request, 403 other-player, 503
// worker-away and those of Intake::caller_of().
#pragma once

#include "master/http/call.hpp"

namespace fixkeep::master {

void leave_seat(const ApiCall& call);

}  // namespace fixkeep::master
