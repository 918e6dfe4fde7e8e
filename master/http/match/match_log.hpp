// MatchLog writes the lines of a master's log about match requests, each step once. By their names
// a request is found again at the worker and in the client's own log.
//
// Requests are frequent: their lines are at the level debug. A refusal that is not the client's own
// doing is rare and at info. No text is made without a reader.
// Thread rule: the master's thread. Bounds: 10 lines a second for refusals of one type.
// Errors: none.
#pragma once

#include <string>
#include <string_view>

#include "common/base/time.hpp"
#include "common/net/http/server.hpp"
#include "common/obs/log_limit.hpp"
#include "common/wire/request_context.hpp"
#include "master/core/seam/events.hpp"

namespace fixkeep::master {

// Reads the client's `X-Request-Id` and `traceparent`. Each counts as missing if it is malformed or
// there twice.
[[nodiscard]] wire::RequestContext context_of(const net::HttpRequest& request);

class MatchLog {
 public:
  // A line names a request by these.
  struct Request {
    const wire::RequestContext& context;
    const std::string& ticket;
  };

  // REQUIRES: obs::log_enabled(debug) for the two that take an event.
  static void requested(const Request& request, const MatchRequested& match);
  static void seated(const Request& request, const Seated& seated);
  static void cancelled(const Request& request);
  // `type`: the stable name of the error. `why`: what the player is not told; empty: nothing.
  void refused(const Request& request, std::string_view type, std::string_view why, TimePoint now);

 private:
  obs::LogLimit refusals_{{.burst = 10}};
};

// Whether a refusal of this type is due to the request or its client, not to the cluster.
[[nodiscard]] bool is_own_doing(std::string_view type);

}  // namespace fixkeep::master
