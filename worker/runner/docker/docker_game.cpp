#include "worker/runner/docker/docker_game.hpp"

#include "common/obs/log.hpp"
#include "worker/runner/docker/container_sdk.hpp"

namespace fixkeep::worker::docker {

void DockerGame::listen(const Container& container) {
  if (launch.listen_inside.empty() || listens || !life.runs()) return;
  listens = true;
  auto sockets = listen_inside(container, launch.listen_inside);
  if (!sockets) {
    obs::log_warning("cannot listen in the network of a container: its game has no SDK",
                     {{"container", container.name}, {"reason", sockets.error().message()}});
  } else if (handlers.listens) {
    handlers.listens(std::move(*sockets));
  }
}

}  // namespace fixkeep::worker::docker
