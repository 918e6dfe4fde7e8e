// The routes of the REST form: which call of the SDK a request is, and what of it is where.
// Thread rule: that of the session. Bounds: those of HttpOptions. Errors: answered.
#pragma once

#include <functional>

#include "common/net/http/server.hpp"
#include "worker/sdk/errors.hpp"
#include "worker/sdk/session.hpp"

namespace fixkeep::worker {

// Calls `watch` for a client that wants to watch, which is no answer but a stream; answers the
// rest.
void answer_rest_call(Session& session, const net::HttpRequest& request,
                      const net::HttpResponder& responder, const std::function<void()>& watch);

[[nodiscard]] net::HttpAnswer error_answer(const SdkError& error);

}  // namespace fixkeep::worker
