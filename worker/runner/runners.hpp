// The runners that there are, by name. A new one is its file pair and one line in runners.cpp.
// Thread rule: free function. Errors: none.
#pragma once

#include <boost/asio/io_context.hpp>
#include <memory>
#include <string_view>

#include "worker/runner/game_runner.hpp"
#include "worker/runner/runner_options.hpp"

namespace fixkeep::worker {

// Null if there is no runner of that name. The io_context outlives it.
[[nodiscard]] std::shared_ptr<GameRunner> make_runner(std::string_view name,
                                                      boost::asio::io_context& context,
                                                      const RunnerOptions& options);

}  // namespace fixkeep::worker
