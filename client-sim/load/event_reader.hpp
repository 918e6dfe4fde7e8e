// Reads the events of all nodes of a cluster (GET /v1/events) and says if any are missing.
//
// Thread rule: from the main thread; blocks until done. Bounds: 10 s a node. Errors: a text that
// names the node that did not answer or lost events.
#pragma once

#include <string>
#include <vector>

#include "client-sim/load/http_client.hpp"
#include "common/events/event.hpp"

namespace fixkeep::client_sim {

struct EventsRead {
  std::vector<events::Event> events;  // node by node
  std::string failure;                // empty: all that the nodes have told
};

[[nodiscard]] EventsRead read_events(const std::vector<Endpoint>& nodes);

// Adds to `read` the events of one answer of the node at `where` to a request for those behind
// `after`. Returns the number to ask from next; the same number: there was no new event.
[[nodiscard]] std::uint64_t take_events(const std::string& body, std::uint64_t after,
                                        const std::string& where, EventsRead& read);

}  // namespace fixkeep::client_sim
