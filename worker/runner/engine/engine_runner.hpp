// Makes a GameRunner of an engine. Each game is an object, and ObjectLife decides about its life.
//
// An unknown object of this worker is removed whenever it appears: the engine may carry out an
// order late, after its answer was lost. If the engine says that it takes no objects, the runner
// offers no places for the time `rest`.
// Fault model: as GameRunner and Engine. Thread rule: as GameRunner. Bounds: starts_at_once objects
// are made at a time; the last output is kept for running games and for some that have ended.
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
