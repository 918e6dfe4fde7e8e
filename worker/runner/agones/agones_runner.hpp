// Rooms on servers that a fleet of Agones keeps ready: one is taken for each room, and none is made
// (agones.dev; fleet_rooms.hpp says how one is taken so that none is lost).
//
// Agones gives away a server whose game has said that it is ready, so a room is ready as soon as it
// has its server. The game speaks to the SDK of Agones beside it, not to the worker's; what it has
// to know of its room, the key of seat tokens among it, are annotations of its server
// (fleet_texts.hpp). How many play is what it says to Agones: the list or counter "players", or
// Agones' tracking of players. A room has ended when its server is gone; it is asked to end, and
// killed, by the deletion of its server, which the game hears of as of any other pod's.
//
// Fault model: that of FleetRooms and of GameRunner. Launch::alone means nothing but that a worker
// which leaves deletes the servers of rooms that may not go on without it: of one that is killed
// they stay, for its next run to adopt or release. Thread rule: as GameRunner. Bounds: those of
// FleetOptions and of the client; `stop_limit` to release all servers at the end. Errors: in the
// words of GameEnd; of the watch in the log.
#pragma once

#include <boost/asio/io_context.hpp>
#include <memory>

#include "worker/runner/agones/fleet_rooms.hpp"
#include "worker/runner/game_runner.hpp"
#include "worker/runner/runner_options.hpp"

namespace fixkeep::worker {

[[nodiscard]] std::shared_ptr<GameRunner> make_agones_runner(boost::asio::io_context& context,
                                                             const RunnerOptions& options);
// For tests, which wait for less.
[[nodiscard]] std::shared_ptr<GameRunner> make_agones_runner_with(
    boost::asio::io_context& context, const RunnerOptions& options,
    const agones::FleetOptions& fleet);

}  // namespace fixkeep::worker
