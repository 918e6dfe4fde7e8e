// Reads the events of all nodes of a cluster (GET /v1/events) and reports missing events.
//
// Thread rule: call from the main thread; each call blocks until done. Bounds: 10 s a node. Errors:
// a text that names the node that did not answer or lost events.
#pragma once

#include <string>
#include <vector>

#include "client-sim/load/http_client.hpp"
#include "common/events/event.hpp"

namespace fixkeep::client_sim {

struct EventsRead {
  std::vector<events::Event> events;  // node by node
  std::string failure;                // empty: the events are complete
};

[[nodiscard]] EventsRead read_events(const std::vector<Endpoint>& nodes);

// Adds the events in `body` to `read`. `body` is the answer of the node at `where`, which was asked
// for all events after the number `after`. Returns the number for the next request to this node.
[[nodiscard]] std::uint64_t take_events(const std::string& body, std::uint64_t after,
                                        const std::string& where, EventsRead& read);

}  // namespace fixkeep::client_sim
