#include "worker/runner/docker/docker_engine.hpp"

#include "worker/runner/containers/container_engine.hpp"

namespace fixkeep::worker {

std::shared_ptr<GameRunner> make_docker_runner(boost::asio::io_context& context,
                                               const RunnerOptions& options) {
  return containers::make_container_runner(context, options, {});
}

}  // namespace fixkeep::worker
