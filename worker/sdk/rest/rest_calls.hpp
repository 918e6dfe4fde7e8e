// The routes of the REST form: which SDK call a request means, and where its fields are. Thread
// rule: the session's. Bounds: see HttpOptions. Errors: answered.
#pragma once

#include <functional>

#include "common/net/http/server.hpp"
#include "worker/sdk/errors.hpp"
#include "worker/sdk/session.hpp"

namespace fixkeep::worker {

// Calls `watch` for a client that wants to watch, which needs a stream. Answers all other requests.
void answer_rest_call(Session& session, const net::HttpRequest& request,
                      const net::HttpResponder& responder, const std::function<void()>& watch);

[[nodiscard]] net::HttpAnswer error_answer(const SdkError& error);

}  // namespace fixkeep::worker
