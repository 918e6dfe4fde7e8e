// Reads the pod of a room from the description of its game.
//
// Thread rule: free functions. Bounds: set by the configuration. Errors: config::Problems.
#pragma once

#include "common/config/loader.hpp"
#include "worker/runner/pod_options.hpp"

namespace fixkeep::worker {

// `entry` is an entry of `games`. REQUIRES: the entry is valid.
[[nodiscard]] PodOptions read_pod(const config::Json& entry);
// Adds the values of read_pod() to `shown`.
void show_pod(const PodOptions& pod, config::Json& shown);

// Checks what the schema does not check: games have a usable template if and only if rooms are
// pods.
void check_pods(const config::Document& document, config::Problems& problems);

}  // namespace fixkeep::worker
