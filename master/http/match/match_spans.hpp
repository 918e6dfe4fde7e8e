// The span of each match request from its arrival to its answer. It is a server span and the child
// of the client's span in `traceparent`.
//
// The client's own decision to sample a request or not counts. The share `sample` of the other
// requests begins a trace. Later spans of a request are children of its span: its context names the
// span from then on. Without a sink the context stays as it came.
// Thread rule: the master's thread. Errors: none.
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

// Returns the time of the clock on the wall at the moment `then` of the steady clock.
[[nodiscard]] obs::SpanTime span_time(TimePoint then, TimePoint now);

class MatchSpans {
 public:
  explicit MatchSpans(SpanOptions options) : options_(std::move(options)), ids_(options_.seed) {}

  // A request that has a span.
  struct Open {
    std::uint64_t parent = 0;
    TimePoint since;
  };
  [[nodiscard]] std::optional<Open> begin(wire::RequestContext& context, TimePoint now);

  struct Outcome {
    std::string_view outcome;  // "seated", "cancelled", or the type of the error
    unsigned status = 0;       // status of the answer; 0: no answer
    const std::string& ticket;
    std::string mode{};  // this and the next two: empty if there is none
    std::string group{};
    std::string room{};
  };
  // REQUIRES: begin() gave the span of this context.
  void end(const Open& open, const wire::RequestContext& context, const Outcome& outcome,
           TimePoint now);

 private:
  SpanOptions options_;
  obs::SpanIds ids_;
};

}  // namespace fixkeep::master
