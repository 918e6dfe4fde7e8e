#include "worker/runner/podman/podman_engine.hpp"

#include <unistd.h>

#include <cstdlib>

#include "worker/runner/containers/container_engine.hpp"
#include "worker/runner/podman/podman_dialect.hpp"

namespace fixkeep::worker {

std::shared_ptr<GameRunner> make_podman_runner(boost::asio::io_context& context,
                                               const RunnerOptions& options) {
  RunnerOptions ours = options;
  if (ours.engine_socket.empty()) {
    ours.engine_socket = podman::usual_socket(::geteuid(), std::getenv("XDG_RUNTIME_DIR"));
  }
  return containers::make_container_runner(context, ours, podman::dialect());
}

}  // namespace fixkeep::worker
