// The request id and the distributed trace of a match request. Both are for logs, traces and the
// game's environment, and influence no decision.
//
// A client chooses both, within bounds: the id is printable ASCII of up to
// limits::request_id_bytes. Thread rule: values. Errors: none; readers ignore a context out of
// bounds.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include "common/base/trace_context.hpp"
#include "common/wire/limits.hpp"

namespace fixkeep::wire {

struct RequestContext {
  std::string request_id;  // optional; empty: none
  std::optional<TraceContext> trace;

  [[nodiscard]] bool empty() const { return request_id.empty() && !trace; }
  friend bool operator==(const RequestContext&, const RequestContext&) = default;
};

[[nodiscard]] inline bool is_request_id(std::string_view text) {
  return !text.empty() && text.size() <= limits::request_id_bytes &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c < 0x7f; });
}

// The text after `trace=` in a log line; empty without a trace.
[[nodiscard]] inline std::string trace_text(const RequestContext& context) {
  return context.trace ? to_string(context.trace->trace) : std::string{};
}

}  // namespace fixkeep::wire
