// Rooms on servers that an Agones fleet keeps ready. Each room takes a server. The worker makes no
// servers (agones.dev; fleet_rooms.hpp says how no server is lost).
//
// Agones gives away a server after its game has said that it is ready, so a room is ready with its
// server. The game speaks to the SDK of Agones beside it and not to the worker's. Its knowledge of
// the room (with the key of seat tokens) comes as annotations of its server (fleet_texts.hpp). It
// tells Agones its number of players: by the list or counter "players" or Agones' tracking of
// players. A room has ended when its server is gone. The deletion of the server asks the game to
// end and kills it as for any other pod.
//
// Fault model: as FleetRooms and GameRunner. Launch::alone has one meaning: a worker that leaves
// deletes the servers of rooms that may not go on without it. Servers of a killed worker stay: its
// next run adopts or releases them. Thread rule: as GameRunner. Bounds: see FleetOptions and the
// client; `stop_limit` to release all servers at the end. Errors: in the words of GameEnd; errors
// of the watch in the log.
#pragma once

#include <boost/asio/io_context.hpp>
#include <memory>

#include "worker/runner/agones/fleet_rooms.hpp"
#include "worker/runner/game_runner.hpp"
#include "worker/runner/runner_options.hpp"

namespace fixkeep::worker {

[[nodiscard]] std::shared_ptr<GameRunner> make_agones_runner(boost::asio::io_context& context,
                                                             const RunnerOptions& options);
// For tests with shorter waits.
[[nodiscard]] std::shared_ptr<GameRunner> make_agones_runner_with(
    boost::asio::io_context& context, const RunnerOptions& options,
    const agones::FleetOptions& fleet);

}  // namespace fixkeep::worker
