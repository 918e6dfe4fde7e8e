// Operators' actions through a master: they drain rooms and workers, close rooms and read a game's
// log. The worker performs the action (worker/shell/status_page.hpp). The master finds the room's
// worker and forwards the call.
//
//   POST /v1/rooms/{room}/drain               the worker's call of the same name
//   POST /v1/rooms/{room}/close               like drain, but closes immediately and ends its games
//   GET  /v1/rooms/{room}/log                 its game's last output
//   POST /v1/workers/{worker}/drain, /resume  all rooms of the worker
//
// Thread rule: the same as for ApiCall. Errors: 404 not-found, the worker's errors and those of
// worker_calls.hpp.
#pragma once

#include "common/net/http/routes.hpp"
#include "master/http/call.hpp"

namespace fixkeep::master {

[[nodiscard]] const net::Routes<ApiHandler>& operate_routes();

}  // namespace fixkeep::master
