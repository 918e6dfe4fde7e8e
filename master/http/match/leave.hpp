// DELETE /v1/seats/{token}: a player gives back the seat that it was given, at any master.
//
// The token names player and room, and only the master and the room's worker can sign one. So it is
// enough to say whose reservations end, and the worker ends all that the player has there. A token
// that has expired counts as long as its room lives: the seat may have been reserved anew since.
//
// Nobody learns from an answer whether anybody plays: it is the same whether the token is right or
// forged, and whether the seat is there, or gone, or the room is.
//
// Thread rule: as ApiCall. Errors: 400 invalid-request, 403 other-player, 503 worker-away, and
// those of Intake::caller_of().
#pragma once

#include "master/http/call.hpp"

namespace fixkeep::master {

void leave_seat(const ApiCall& call);

}  // namespace fixkeep::master
