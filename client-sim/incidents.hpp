// Incidents are the faults of nodes under load as set by options.
//
// A killed master loses its events. They are read just before the kill. The judge misses the few
// milliseconds between the two.
// Thread rule: from the thread of the load. It waits meanwhile. Errors: `failure` in words.
#pragma once

#include <string>
#include <vector>

#include "client-sim/cluster/cluster.hpp"
#include "client-sim/fault_options.hpp"
#include "client-sim/load/load.hpp"
#include "client-sim/load/observation.hpp"

namespace fixkeep::client_sim {

struct IncidentLog {
  std::vector<events::Event> events;  // events of nodes that were killed
  std::vector<NodeEnd> ends;
  std::string failure;
};

// By time. Both outlive the load.
[[nodiscard]] std::vector<Incident> incidents_of(const FaultOptions& options, Cluster& cluster,
                                                 IncidentLog& log);

}  // namespace fixkeep::client_sim
