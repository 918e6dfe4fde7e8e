// Games as processes of this machine. Each is below a keeper of its own (worker/keeper/keeper.hpp).
//
// A game is asked to end as its launch says: by a signal to its process group or by a command. It
// is killed with all that it has started. Its output goes into a file of the room
// (worker/keeper/output_file.hpp). For the room's other files see room_files.hpp.
//
// Invariants: 1. When `ended` is called, nothing below the room's keeper is left and the keeper is
//                reaped.
//             2. Games under keepers of an earlier run have ended before the first game starts.
// Fault model: a killed keeper takes the game's own process with it. Other processes of the game
// are found by its control group (without one by its environment) and killed. Thread rule: as
// GameRunner. Bounds: two descriptors for each running game and six more while it starts. Errors:
// in the words of GameEnd.
#pragma once

#include <boost/asio/io_context.hpp>
#include <memory>

#include "worker/runner/game_runner.hpp"
#include "worker/runner/runner_options.hpp"

namespace fixkeep::worker {

[[nodiscard]] std::shared_ptr<GameRunner> make_process_runner(boost::asio::io_context& context,
                                                              const RunnerOptions& options);

}  // namespace fixkeep::worker
