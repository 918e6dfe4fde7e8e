// Runs games as processes of this machine. Each game runs below its own keeper
// (worker/keeper/keeper.hpp).
//
// The launch says how a game is asked to end: by a signal to its process group or by a command. A
// game is killed together with all processes that it has started. Its output is written to a file
// of the room (worker/keeper/output_file.hpp). For the room's other files see room_files.hpp.
//
// Invariants: 1. When `ended` is called, no process below the room's keeper is left, and the keeper
//                is reaped.
//             2. Games under keepers of an earlier run have ended before the first game starts.
// Fault model: if a keeper is killed, the game's own process dies with it. The runner then kills
// the game's other processes. It finds them by their control group; if there is none, by their
// environment.
// Thread rule: see GameRunner. Bounds: two descriptors for each running game and six more while it
// starts. Errors: described in GameEnd::how.
#pragma once

#include <boost/asio/io_context.hpp>
#include <memory>

#include "worker/runner/game_runner.hpp"
#include "worker/runner/runner_options.hpp"

namespace fixkeep::worker {

[[nodiscard]] std::shared_ptr<GameRunner> make_process_runner(boost::asio::io_context& context,
                                                              const RunnerOptions& options);

}  // namespace fixkeep::worker
