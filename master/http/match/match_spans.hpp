// Makes a span for each match request, from its arrival to its answer: a server span and a child of
// the client's span in `traceparent`.
//
// A client's `traceparent` decides whether to sample its request. The share SpanOptions::sample of
// the other requests is sampled, too. begin() writes the new span into the context of a sampled
// request. Later spans of the request are thus its children. Without a sink the context is not
// changed. Thread rule: the master's thread. Errors: none.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "common/base/time.hpp"
#include "common/obs/span.hpp"
#include "common/wire/request_context.hpp"

namespace fixkeep::master {

struct SpanOptions {
  obs::SpanSink sink;  // empty: no spans
  double sample = 1;
  std::uint64_t seed = 0;  // seed of the ids
};

// Returns the wall-clock time for `then`, a time of the steady clock.
[[nodiscard]] obs::SpanTime span_time(TimePoint then, TimePoint now);

class MatchSpans {
 public:
  explicit MatchSpans(SpanOptions options) : options_(std::move(options)), ids_(options_.seed) {}

  // A request with an open span.
  struct Open {
    std::uint64_t parent = 0;
    TimePoint since;
  };
  [[nodiscard]] std::optional<Open> begin(wire::RequestContext& context, TimePoint now);

  struct Outcome {
    std::string_view outcome;  // "seated", "cancelled" or the type of the error
    unsigned status = 0;       // status of the answer; 0: no answer
    const std::string& ticket;
    std::string mode{};  // mode, group, room: empty if unknown
    std::string group{};
    std::string room{};
  };
  // REQUIRES: begin() has returned `open` for this context.
  void end(const Open& open, const wire::RequestContext& context, const Outcome& outcome,
           TimePoint now);

 private:
  SpanOptions options_;
  obs::SpanIds ids_;
};

}  // namespace fixkeep::master
