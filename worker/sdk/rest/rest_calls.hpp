// The routes of the REST form: the SDK call of a request and the places of its fields. Thread rule:
// the session's. Bounds: see HttpOptions. Errors: answered.
#pragma once

#include <functional>

#include "common/net/http/server.hpp"
#include "worker/sdk/errors.hpp"
#include "worker/sdk/session.hpp"

namespace fixkeep::worker {

// Calls `watch` for a client that wants to watch: that needs a stream. Answers the rest.
void answer_rest_call(Session& session, const net::HttpRequest& request,
                      const net::HttpResponder& responder, const std::function<void()>& watch);

[[nodiscard]] net::HttpAnswer error_answer(const SdkError& error);

}  // namespace fixkeep::worker
