// Runs games as containers of an engine on this machine. The engine is Docker or has a similar API.
//
// A room's container is named by Launch::object and labelled with its owner. The container is
// created, gets the files of the launch and is started (container_calls.hpp). EngineRunner decides
// about these steps (engine/engine_runner.hpp). Each container has its own volume at "/fixkeep".
// After the game has ended and its log was read, container and volume are removed. The launch names
// ports of the machine. The game uses these ports directly, or the engine forwards them to ports in
// the container.
//
// If a worker ends, its containers remain in the engine. The worker's next run finds them by their
// labels. If an unknown container of this worker appears, it is removed. Such a container appears
// if an answer to an order was lost and the engine carried out the order late.
// Fault model: see GameRunner. An engine that restarts ends its containers, or keeps them
// (live-restore). Its list of containers then shows which of them run. If an engine hangs, the log
// says so, and no new rooms start. Running games go on and are remembered.
// Thread rule: see GameRunner. Bounds: see the parts; the last output of running games and of the
// last ended games (kept_output.hpp). Errors: described in GameEnd::how.
#pragma once

#include <boost/asio/io_context.hpp>
#include <memory>

#include "common/config/fields.hpp"
#include "worker/runner/containers/dialect.hpp"
#include "worker/runner/game_runner.hpp"
#include "worker/runner/runner_options.hpp"

namespace fixkeep::worker::containers {

[[nodiscard]] std::shared_ptr<GameRunner> make_container_runner(boost::asio::io_context& context,
                                                                const RunnerOptions& options,
                                                                const Dialect& dialect);

// The keys of a game that runs in a container.
void describe_container(config::Fields& fields, Launch& launch);
// Checks that published names are names of the room's ports. `key`: the entry of `games`.
void check_container(const config::Document& document, const std::string& key,
                     config::Problems& problems);

}  // namespace fixkeep::worker::containers
