// The container that a game runs in, as its description says it.
//
// Thread rule: free functions. Bounds: those of the configuration. Errors: config::Problems.
#pragma once

#include "common/config/loader.hpp"
#include "worker/runner/container_options.hpp"

namespace fixkeep::worker {

// REQUIRES: `entry` of games is valid.
[[nodiscard]] ContainerOptions read_container(const config::Json& entry);
// Adds to `shown` what read_container() has read.
void show_container(const ContainerOptions& container, config::Json& shown);

// Beyond the schema: games have an image where rooms are containers, and only there; what is
// published is a port of the room.
void check_containers(const config::Document& document, config::Problems& problems);

}  // namespace fixkeep::worker
