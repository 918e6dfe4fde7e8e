// Reads and writes the header `traceparent` for distributed traces: W3C Trace Context level 1
// (https://www.w3.org/TR/trace-context-1/).
//
//   00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01
//
// A header of a later version is read and forwarded as version 00. "sampled" is the only known
// flag; other flags are not forwarded.
// Thread rule: values and free functions. Errors: no value for a malformed header or a zero trace
// or span. The specification says to ignore such a header.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace fixkeep {

struct TraceId {
  std::uint64_t high = 0;
  std::uint64_t low = 0;

  [[nodiscard]] bool valid() const { return high != 0 || low != 0; }
  friend bool operator==(const TraceId&, const TraceId&) = default;
};

struct TraceContext {
  TraceId trace;
  std::uint64_t span = 0;  // parent of the next span
  bool sampled = false;

  [[nodiscard]] bool valid() const { return trace.valid() && span != 0; }
  friend bool operator==(const TraceContext&, const TraceContext&) = default;
};

[[nodiscard]] std::optional<TraceContext> parse_traceparent(std::string_view header);
[[nodiscard]] std::string to_traceparent(const TraceContext& context);

// Hexadecimal digits in lower case: 32 for a trace, 16 for a span.
[[nodiscard]] std::string to_string(const TraceId& trace);
[[nodiscard]] std::string span_text(std::uint64_t span);

}  // namespace fixkeep
