#include "master/http/call.hpp"

#include <utility>

namespace fixkeep::master {

void ApiCall::answer(net::HttpAnswer answer) const {
  responder.answer(std::move(answer));
}

void ApiCall::look(const std::string& kind, ViewDesk::Look page) const {
  views.look(kind, std::move(page),
             [to = responder](net::HttpAnswer made) { to.answer(std::move(made)); });
}

net::HttpAnswer page_of(const sync::LockResult<std::string>& body) {
  if (body) return {.status = 200, .body = *body};
  auto answer =
      net::problem(503, "view-busy", "Too much is being looked at", body.error().message());
  answer.retry_after_seconds = 1;
  return answer;
}

net::HttpAnswer not_found(std::string_view detail) {
  return net::problem(404, "not-found", "There is nothing here", detail);
}

net::HttpAnswer wrong_method(std::string_view allowed) {
  auto answer = net::problem(405, "method-not-allowed", "The method is not allowed here",
                             std::string{"use "}.append(allowed));
  answer.allow = allowed;
  return answer;
}

}  // namespace fixkeep::master
