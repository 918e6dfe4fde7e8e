// Games as containers of a Docker engine on this machine or of another engine with the same API.
//
// A room's container has the name of its launch's object and labels of its owner. It is created,
// filled with the files of the launch and started (container_calls.hpp), in the frame of engines
// (engine/engine_runner.hpp). It has a volume of its own:
// "/fixkeep". Both are removed after it has ended and its log was read. Its ports are the machine's
// ports that the launch names or are forwarded to others inside.
//
// A worker that ends leaves its containers to the engine. Its next run finds them by their labels.
// An unknown container of its own is removed whenever it appears: an order whose answer was lost
// may be carried out later.
// Fault model: as GameRunner. An engine that restarts ends its containers or keeps them
// (live-restore): its list shows which. A hanging engine is told in the log and takes no new rooms.
// Running games are neither ended nor forgotten.
// Thread rule: as GameRunner. Bounds: see its parts; the last `kept_output` bytes of a game's
// output and of the last ended games. Errors: in the words of GameEnd.
#pragma once

#include <boost/asio/io_context.hpp>
#include <memory>

#include "worker/runner/game_runner.hpp"
#include "worker/runner/runner_options.hpp"

namespace fixkeep::worker {

[[nodiscard]] std::shared_ptr<GameRunner> make_docker_runner(boost::asio::io_context& context,
                                                             const RunnerOptions& options);

}  // namespace fixkeep::worker
