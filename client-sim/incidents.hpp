// Incidents are the faults that nodes of a cluster have under load, as options say.
//
// A master that is killed takes its events along, so they are read just before. What it does
// between the two is lost: a few milliseconds, of which the judge says nothing.
// Thread rule: from the thread of the load, which waits meanwhile. Errors: `failure`, in words.
#pragma once

#include <string>
#include <vector>

#include "client-sim/cluster/cluster.hpp"
#include "client-sim/fault_options.hpp"
#include "client-sim/load/load.hpp"
#include "client-sim/load/observation.hpp"

namespace fixkeep::client_sim {

struct IncidentLog {
  std::vector<events::Event> events;  // of nodes that were killed
  std::vector<NodeEnd> ends;
  std::string failure;
};

// By time. Both outlive the load.
[[nodiscard]] std::vector<Incident> incidents_of(const FaultOptions& options, Cluster& cluster,
                                                 IncidentLog& log);

}  // namespace fixkeep::client_sim
