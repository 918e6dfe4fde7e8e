// A match request is called by these names by those who follow it: its request id, and the
// distributed trace that it is part of. It decides nothing; it is for logs, traces and the game's
// environment.
//
// A stranger has chosen both, within bounds: the id is printable ASCII, up to
// limits::request_id_bytes of it.
// Thread rule: values. Errors: none; a context out of bounds is left out by those who would read
// it.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include "common/base/trace_context.hpp"
#include "common/wire/limits.hpp"

namespace fixkeep::wire {

struct RequestContext {
  std::string request_id;  // empty: none was given, and nobody had a use for one
  std::optional<TraceContext> trace;

  [[nodiscard]] bool empty() const { return request_id.empty() && !trace; }
  friend bool operator==(const RequestContext&, const RequestContext&) = default;
};

[[nodiscard]] inline bool is_request_id(std::string_view text) {
  return !text.empty() && text.size() <= limits::request_id_bytes &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c < 0x7f; });
}

// For `trace=` of a log line; empty: it has none.
[[nodiscard]] inline std::string trace_text(const RequestContext& context) {
  return context.trace ? to_string(context.trace->trace) : std::string{};
}

}  // namespace fixkeep::wire
