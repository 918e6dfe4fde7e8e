#include "worker/runner/podman/podman_engine.hpp"

#include "worker/runner/containers/container_engine.hpp"
#include "worker/runner/podman/podman_dialect.hpp"

namespace fixkeep::worker {

std::shared_ptr<GameRunner> make_podman_runner(boost::asio::io_context& context,
                                               const RunnerOptions& options) {
  return containers::make_container_runner(context, options, podman::dialect());
}

}  // namespace fixkeep::worker
