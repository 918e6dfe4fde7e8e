// An event as one line of JSON, in the form of GET /v1/events:
//
//   {"at_us":1763797124000123,"event":"room-ordered","group":"duel/…","creation":"7.m2.0.…",…}
//
// Thread rule: free functions. Errors: no value for JSON that is not a known event. Unknown keys
// are ignored, so events of newer nodes can be read.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "common/events/event.hpp"

namespace fixkeep::events {

[[nodiscard]] std::string_view name_of(const What& what);

// Omits the node, because an answer names its node one time for all events.
[[nodiscard]] std::string to_json_line(EventTime at, const What& what);
[[nodiscard]] std::optional<Event> parse_event(const nlohmann::json& line, const std::string& node);

}  // namespace fixkeep::events
