#include "master/http/match/match_spans.hpp"

#include <utility>

namespace fixkeep::master {

obs::SpanTime span_time(TimePoint then, TimePoint now) {
  const auto ago = std::chrono::duration_cast<std::chrono::nanoseconds>(now - then);
  return std::chrono::time_point_cast<std::chrono::nanoseconds>(std::chrono::system_clock::now()) -
         ago;
}

std::optional<MatchSpans::Open> MatchSpans::begin(wire::RequestContext& context, TimePoint now) {
  if (!options_.sink) return {};
  Open open{0, now};
  if (context.trace) {
    if (!context.trace->sampled) return {};
    open.parent = context.trace->span;
  } else {
    if (!ids_.chance(options_.sample)) return {};
    context.trace = {ids_.trace(), 0, true};
  }
  context.trace->span = ids_.span();
  return open;
}

void MatchSpans::end(const Open& open, const wire::RequestContext& context, const Outcome& outcome,
                     TimePoint now) {
  obs::Span span;
  span.trace = context.trace->trace;
  span.id = context.trace->span;
  span.parent = open.parent;
  span.name = "POST /v1/match";
  span.kind = obs::SpanKind::server;
  span.begin = span_time(open.since, now);
  span.end = span_time(now, now);
  span.failed = outcome.status >= 500;
  span.attributes = {{"http.request.method", "POST"},
                     {"http.route", "/v1/match"},
                     {"fixkeep.outcome", std::string{outcome.outcome}},
                     {"fixkeep.ticket", outcome.ticket},
                     {"fixkeep.request_id", context.request_id}};
  if (outcome.status != 0) {
    span.attributes.emplace_back("http.response.status_code", std::int64_t{outcome.status});
  }
  for (const auto& [key, text] : {std::pair{"fixkeep.mode", &outcome.mode},
                                  {"fixkeep.group", &outcome.group},
                                  {"fixkeep.room", &outcome.room}}) {
    if (!text->empty()) span.attributes.emplace_back(key, *text);
  }
  options_.sink(std::move(span));
}

}  // namespace fixkeep::master
