// Makes a GameRunner of an engine: each game is an object, whose life ObjectLife decides.
//
// An object of this worker that it does not know is removed whenever it appears: an order whose
// answer was lost may be carried out later. If the engine says that it takes no objects, none is
// offered a place for `rest`.
// Fault model: as GameRunner and Engine. Thread rule: as GameRunner. Bounds: starts_at_once objects
// are made at a time; the last output of running games, and of some that have ended.
// Errors: in the words of GameEnd.
#pragma once

#include <boost/asio/io_context.hpp>
#include <chrono>
#include <memory>

#include "worker/runner/engine/engine.hpp"
#include "worker/runner/game_runner.hpp"
#include "worker/runner/runner_options.hpp"

namespace fixkeep::worker::engine {

inline constexpr std::chrono::seconds rest{10};

[[nodiscard]] std::shared_ptr<GameRunner> make_engine_runner(boost::asio::io_context& context,
                                                             const RunnerOptions& options,
                                                             std::unique_ptr<Engine> engine);

}  // namespace fixkeep::worker::engine
