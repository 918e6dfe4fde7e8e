// A runner of pods needs this of a launch, and no other runner does.
//
// Thread rule: a value. Bounds: those of the configuration. Errors: none.
#pragma once

#include <string>
#include <vector>

namespace fixkeep::worker {

struct PodOptions {
  std::string pod_template;             // in JSON; empty: the game runs in no pod
  std::vector<std::string> port_names;  // of the ports beside the first
  std::string mode;                     // that its label names

  friend bool operator==(const PodOptions&, const PodOptions&) = default;
};

}  // namespace fixkeep::worker
