// Rooms as containers of Podman on this machine: see containers/container_engine.hpp.
#pragma once

#include <boost/asio/io_context.hpp>
#include <memory>

#include "worker/runner/game_runner.hpp"
#include "worker/runner/runner_options.hpp"

namespace fixkeep::worker {

[[nodiscard]] std::shared_ptr<GameRunner> make_podman_runner(boost::asio::io_context& context,
                                                             const RunnerOptions& options);

}  // namespace fixkeep::worker
