#include <algorithm>

#include "common/config/sections.hpp"
#include "worker/runner/containers/container_engine.hpp"
#include "worker/runner/launch_keys.hpp"

namespace fixkeep::worker::containers {
namespace {

const config::Text image_text{
    0, 512,
    "^(([A-Za-z0-9][A-Za-z0-9.-]*(:[0-9]+)?/)?[a-z0-9][a-z0-9._/-]*"
    "(:[A-Za-z0-9_][A-Za-z0-9._-]*)?(@[a-z0-9]+:[a-f0-9]+)?)?$",
    "a name of an image, in small letters but for its tag, such as registry.example/team/game:1.2"};

}  // namespace

void describe_container(config::Fields& fields, Launch& launch) {
  describe_program(fields, launch);
  ContainerOptions& container = launch.container;
  const auto in_container = fields.section(
      "container",
      "The room's container, with rooms.runner docker or podman. If command is empty, the image's "
      "command runs. user is a user of the image. {folder} is a path in the container.");
  fields.text("image", container.image, image_text,
              "The image. When the worker starts, it pulls a missing image.");
  fields.choice("network", container.network,
                {{ContainerNetwork::bridge, "bridge"}, {ContainerNetwork::host, "host"}},
                "bridge: the engine forwards the room's ports, and the game reaches no SDK; "
                "host: the machine's network, with the SDK at localhost.");
  fields.map("publish", container.publish,
             "Ports inside the container, by port name. Needed only if they differ from the "
             "ports outside. \"port\" is the port that players receive.",
             [&](std::uint16_t& port) {
               fields.whole(config::self, port, {1, 65'535}, "The port in the container.");
             });
  fields.flag("read_only", container.read_only,
              "The game can write only to its own folder and to /tmp.");
}

void check_container(const config::Document& document, const std::string& key,
                     config::Problems& problems) {
  config::CrossCheck check{document, problems};
  const std::string published = key + ".container.publish";
  if (!check.can_judge({key + ".ports", published})) return;
  const config::Json& ports = *config::find(document.root(), key + ".ports");
  for (const auto& [name, number] : config::find(document.root(), published)->items()) {
    if (name == "port" || std::find(ports.begin(), ports.end(), name) != ports.end()) continue;
    check.report(config::member_key(published, name),
                 "must be \"port\" or a name of " + key + ".ports");
  }
}

}  // namespace fixkeep::worker::containers
