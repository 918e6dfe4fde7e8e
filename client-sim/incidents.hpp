// Incidents are the faults of nodes under load, as set by options.
//
// A killed master loses its events, so they are read just before the kill. The judge misses the
// events of the few milliseconds between this reading and the kill.
// Thread rule: an incident runs on the load's thread, which waits until the incident is over.
// Errors: a text in IncidentLog::failure.
#pragma once

#include <string>
#include <vector>

#include "client-sim/cluster/cluster.hpp"
#include "client-sim/fault_options.hpp"
#include "client-sim/load/load.hpp"
#include "client-sim/load/observation.hpp"

namespace fixkeep::client_sim {

struct IncidentLog {
  std::vector<events::Event> events;  // events of killed nodes
  std::vector<NodeEnd> ends;
  std::string failure;
};

// Returns the incidents in the order of their times. `cluster` and `log` must outlive the load.
[[nodiscard]] std::vector<Incident> incidents_of(const FaultOptions& options, Cluster& cluster,
                                                 IncidentLog& log);

}  // namespace fixkeep::client_sim
