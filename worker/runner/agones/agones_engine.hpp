// Runs rooms on servers of an Agones fleet. Agones keeps the servers ready, and each room takes one
// server. The worker itself makes no servers (agones.dev). EngineRunner keeps the games
// (engine/engine_runner.hpp). FleetRooms decides which server a room has, and repeats requests and
// releases. EngineRunner thus sees an engine that loses no call. fleet_rooms.hpp explains why no
// server is lost.
//
// Agones gives a server away only after the server's game has reported that it is ready. A room is
// therefore ready as soon as it has a server. The game uses Agones' own SDK, which runs beside the
// game, not the worker's SDK. Annotations of the server tell the game the facts about its room,
// including the key of seat tokens (fleet_texts.hpp). The game reports its number of players to
// Agones: in the list or counter "players" or by Agones' player tracking. A room has ended when its
// server is gone.
// When the server is deleted, the cluster asks the game to end and then kills it, as for any other
// pod.
//
// Fault model: see FleetRooms and GameRunner. Launch::alone has only this effect: if a room is not
// allowed to continue without a worker, a leaving worker deletes the room's server. The servers of
// a killed worker remain: its next run adopts or releases them. Thread rule: see GameRunner.
// Bounds: see FleetOptions and the client; the release of all servers at the end takes at most ten
// seconds.
// Errors: described in GameEnd::how; errors of the watch are logged.
#pragma once

#include <boost/asio/io_context.hpp>
#include <memory>

#include "common/config/fields.hpp"
#include "worker/runner/agones/fleet_rooms.hpp"
#include "worker/runner/game_runner.hpp"
#include "worker/runner/runner_options.hpp"

namespace fixkeep::worker {

[[nodiscard]] std::shared_ptr<GameRunner> make_agones_runner(
    boost::asio::io_context& context, const RunnerOptions& options,
    const agones::FleetOptions& fleet = {});

void describe_fleets(config::Fields& fields, Launch& launch);  // the key `fleets`

}  // namespace fixkeep::worker
