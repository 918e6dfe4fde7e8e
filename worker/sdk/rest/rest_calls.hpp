// The routes of the REST form: the SDK call that a request means, and the places of the call's
// fields. Thread rule: the session's thread. Bounds: see HttpOptions. Errors: sent as answers.
#pragma once

#include <functional>

#include "common/net/http/server.hpp"
#include "worker/sdk/errors.hpp"
#include "worker/sdk/session.hpp"

namespace fixkeep::worker {

// Answers a request. If the client wants to watch its game server, calls `watch` instead, because
// the answer needs a stream.
void answer_rest_call(Session& session, const net::HttpRequest& request,
                      const net::HttpResponder& responder, const std::function<void()>& watch);

[[nodiscard]] net::HttpAnswer error_answer(const SdkError& error);

}  // namespace fixkeep::worker
