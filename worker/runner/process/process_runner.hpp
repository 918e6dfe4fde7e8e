// Games as processes of this machine, each below a keeper of its own: see worker/keeper/keeper.hpp.
//
// A game is asked to end as its launch says, by a signal to its process group or by a command, and
// killed with all that it has started. What it writes goes into a file of the room, see
// worker/keeper/output_file.hpp; what the room has on disk beside that is in room_files.hpp.
//
// Invariants: 1. when `ended` is called nothing below the room's keeper is left, and the keeper is
//                reaped.
//             2. what keepers of an earlier run of this worker hold has ended before the first game
//                starts.
// Fault model: a keeper that is killed takes the game's own process with it; what that had started
// is found by its control group, or without one by its environment, and killed.
// Thread rule: as GameRunner. Bounds: two descriptors for each game that runs, and six more while
// it is started. Errors: in the words of GameEnd.
#pragma once

#include <boost/asio/io_context.hpp>
#include <memory>

#include "worker/runner/game_runner.hpp"
#include "worker/runner/runner_options.hpp"

namespace fixkeep::worker {

[[nodiscard]] std::shared_ptr<GameRunner> make_process_runner(boost::asio::io_context& context,
                                                              const RunnerOptions& options);

}  // namespace fixkeep::worker
