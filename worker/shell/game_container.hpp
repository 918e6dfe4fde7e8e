// Reads the container of a game from its description.
//
// Thread rule: free functions. Bounds: set by the configuration. Errors: config::Problems.
#pragma once

#include "common/config/loader.hpp"
#include "worker/runner/container_options.hpp"

namespace fixkeep::worker {

// `entry` is an entry of `games`. REQUIRES: the entry is valid.
[[nodiscard]] ContainerOptions read_container(const config::Json& entry);
// Adds the values of read_container() to `shown`.
void show_container(const ContainerOptions& container, config::Json& shown);

// Checks what the schema does not check: games have an image if and only if rooms are containers.
// Published names are names of the room's ports.
void check_containers(const config::Document& document, config::Problems& problems);

}  // namespace fixkeep::worker
