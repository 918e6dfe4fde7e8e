// The pod that a room is, as the description of its game says it.
//
// Thread rule: free functions. Bounds: those of the configuration. Errors: config::Problems.
#pragma once

#include "common/config/loader.hpp"
#include "worker/runner/pod_options.hpp"

namespace fixkeep::worker {

// REQUIRES: `entry` of games is valid.
[[nodiscard]] PodOptions read_pod(const config::Json& entry);
// Adds to `shown` what read_pod() has read.
void show_pod(const PodOptions& pod, config::Json& shown);

// Beyond the schema: games have a template where rooms are pods, and only there, and rooms can be
// made of it.
void check_pods(const config::Document& document, config::Problems& problems);

}  // namespace fixkeep::worker
