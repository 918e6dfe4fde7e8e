// Turns an engine into a GameRunner. Each game is an object, and ObjectLife decides about its life.
//
// If an unknown object of this worker appears, it is removed. Such an object appears if an answer
// to an order was lost and the engine carried out the order late. If the engine says that it takes
// no objects, the runner offers no places for the time `rest`.
// Fault model: see GameRunner and Engine. Thread rule: see GameRunner. Bounds: at most
// starts_at_once objects are made at a time; the last output is kept for running games and for some
// that have ended.
// Errors: described in GameEnd::how.
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
