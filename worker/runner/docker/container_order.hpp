// A launch is put into the words of an engine here.
//
// Thread rule: free functions. Bounds: those of the launch. Errors: none.
#pragma once

#include <string>

#include "worker/runner/docker/container.hpp"
#include "worker/runner/launch.hpp"

namespace fixkeep::worker::docker {

struct Owner {
  std::string cluster;
  std::string worker;
};

[[nodiscard]] ContainerOrder container_order(const Launch& launch, const Owner& owner,
                                             std::uint32_t log_bytes);

}  // namespace fixkeep::worker::docker
