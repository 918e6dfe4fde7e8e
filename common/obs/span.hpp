// Spans of a distributed trace, and the OTLP request in JSON that sends them to a collector
// (https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding).
//
// Thread rule: values and a free function; SpanIds has one owner. Errors: none; text outside UTF-8
// is replaced.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "common/base/random.hpp"
#include "common/base/trace_context.hpp"

namespace fixkeep::obs {

enum class SpanKind : std::uint8_t { internal = 1, server = 2, client = 3 };  // OTLP's numbers

using SpanTime = std::chrono::sys_time<std::chrono::nanoseconds>;

struct Span {
  using Value = std::variant<std::string, std::int64_t>;

  TraceId trace;
  std::uint64_t id = 0;
  std::uint64_t parent = 0;  // 0: first span of the trace
  std::string name;
  SpanKind kind = SpanKind::internal;
  SpanTime begin;
  SpanTime end;
  std::vector<std::pair<std::string, Value>> attributes;
  bool failed = false;
};

// Receives ended spans. If the sink is empty, no spans are made.
using SpanSink = std::function<void(Span&&)>;

// Makes unique ids (two ids of spans are equal with a chance of 2^-63). The ids are not secret.
class SpanIds {
 public:
  explicit SpanIds(std::uint64_t seed) : random_(seed) {}

  [[nodiscard]] TraceId trace() { return {random_.next(), random_.next() | 1U}; }
  [[nodiscard]] std::uint64_t span() { return random_.next() | 1U; }
  [[nodiscard]] bool chance(double probability) { return random_.chance(probability); }

 private:
  Random random_;
};

// The source of spans, called "resource" in OpenTelemetry.
struct SpanSource {
  std::string service;   // "fixkeep-master"
  std::string instance;  // "m1"
  std::string version;
  std::string cluster;
};

[[nodiscard]] std::string to_otlp_json(const SpanSource& source, std::span<const Span> spans);

}  // namespace fixkeep::obs
