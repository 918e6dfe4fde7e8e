// MatchLog writes a master's log lines about match requests, one for each step. Each line names the
// request, so you find it again in the worker's and the client's logs.
//
// Requests are frequent, so their lines are at level debug. A refusal that the client has not
// caused is rare and at level info. Text is made only if its level is enabled.
// Thread rule: the master's thread. Bounds: 10 lines per second for refusals of one type.
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

// Reads the client's `X-Request-Id` and `traceparent`. A malformed or repeated field counts as
// missing.
[[nodiscard]] wire::RequestContext context_of(const net::HttpRequest& request);

class MatchLog {
 public:
  // A line names a request by these fields.
  struct Request {
    const wire::RequestContext& context;
    const std::string& ticket;
  };

  // REQUIRES: obs::log_enabled(debug) for requested() and seated().
  static void requested(const Request& request, const MatchRequested& match);
  static void seated(const Request& request, const Seated& seated);
  // `held`: the request has no connection of its own.
  static void cancelled(const Request& request, bool held);
  // `type`: the stable name of the error. `why`: text for operators only, or empty.
  void refused(const Request& request, std::string_view type, std::string_view why, TimePoint now);

 private:
  obs::LogLimit refusals_{{.burst = 10}};
};

// Returns true if the request or its client, and not the cluster, causes a refusal of this type.
[[nodiscard]] bool is_own_doing(std::string_view type);

}  // namespace fixkeep::master
