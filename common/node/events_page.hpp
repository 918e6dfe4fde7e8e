// Answers GET /v1/events?after=N at a master or worker: the events of its journal after number N.
//
// Thread rule: free functions. Errors: 400 invalid-query; 404 events-not-kept.
#pragma once

#include <chrono>
#include <string_view>

#include "common/events/journal.hpp"
#include "common/net/http/server.hpp"

namespace fixkeep::node {

[[nodiscard]] net::HttpAnswer events_page(const events::Journal& journal, std::string_view query);

[[nodiscard]] inline events::EventTime event_time_now() {
  return std::chrono::time_point_cast<std::chrono::microseconds>(std::chrono::system_clock::now());
}

// Call this at the end of a batch: moves the core's events to the journal, with the present time.
void note(events::Journal& journal, auto& core) {
  if (journal.open()) journal.add(event_time_now(), core.take_events());
}

}  // namespace fixkeep::node
