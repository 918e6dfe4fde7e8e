// The part of a launch that only a runner of pods needs.
//
// Thread rule: a value. Bounds: those of the configuration. Errors: none.
#pragma once

#include <string>
#include <vector>

namespace fixkeep::worker {

struct PodOptions {
  std::string pod_template;             // JSON; empty: the game runs in no pod
  std::vector<std::string> port_names;  // names of the ports after the first
  std::string mode;                     // the text of the mode label

  friend bool operator==(const PodOptions&, const PodOptions&) = default;
};

}  // namespace fixkeep::worker
