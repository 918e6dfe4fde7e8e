// Games as containers of a Docker engine on this machine, or of another that speaks its API.
//
// A room's container has the name of its launch's object, and labels that say whose it is. It is
// created, filled with the files of the launch, and started (container_life.hpp); it has a volume
// of its own, "/fixkeep", and goes with it when it has ended and its log was read. Its ports are
// those of the machine that the launch names, or are handed on to others inside.
//
// A worker that ends leaves its containers to the engine; its next run finds them by their labels.
// What it finds that nobody knows it removes, whenever that appears: an order whose answer was lost
// may be carried out later.
// Fault model: that of GameRunner. An engine that restarts ends its containers, or keeps them
// (live-restore): both is seen from its list. One that hangs is told of, takes no new rooms, and
// those that run are neither ended nor forgotten.
// Thread rule: as GameRunner. Bounds: those of its parts; the last `kept_output` bytes of what a
// game wrote, also of `output.kept_rooms` that have ended. Errors: in the words of GameEnd.
#pragma once

#include <boost/asio/io_context.hpp>
#include <memory>

#include "worker/runner/game_runner.hpp"
#include "worker/runner/runner_options.hpp"

namespace fixkeep::worker {

[[nodiscard]] std::shared_ptr<GameRunner> make_docker_runner(boost::asio::io_context& context,
                                                             const RunnerOptions& options);

}  // namespace fixkeep::worker
