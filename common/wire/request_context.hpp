// The names of a match request for observers: its request id and its distributed trace. It decides
// nothing. It is for logs, traces and the game's environment.
//
// A stranger has chosen both within bounds: the id is printable ASCII of up to
// limits::request_id_bytes. Thread rule: values. Errors: none; its readers ignore a context out of
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
  std::string request_id;  // empty: not given, and not needed
  std::optional<TraceContext> trace;

  [[nodiscard]] bool empty() const { return request_id.empty() && !trace; }
  friend bool operator==(const RequestContext&, const RequestContext&) = default;
};

[[nodiscard]] inline bool is_request_id(std::string_view text) {
  return !text.empty() && text.size() <= limits::request_id_bytes &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c < 0x7f; });
}

// Text for `trace=` of a log line; empty without a trace.
[[nodiscard]] inline std::string trace_text(const RequestContext& context) {
  return context.trace ? to_string(context.trace->trace) : std::string{};
}

}  // namespace fixkeep::wire
