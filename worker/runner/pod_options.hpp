// The part of a launch that only a runner of pods needs.
//
// Thread rule: a value. Bounds: set by the configuration. Errors: none.
#pragma once

#include <string>
#include <vector>

namespace fixkeep::worker {

struct PodOptions {
  std::string pod_template;             // JSON; empty: the game runs in no pod
  std::vector<std::string> port_names;  // names of the ports beside the first
  std::string mode;                     // mode in its label

  friend bool operator==(const PodOptions&, const PodOptions&) = default;
};

}  // namespace fixkeep::worker
