#include "worker/shell/through_masters.hpp"

#include <utility>

#include "common/base/assert.hpp"
#include "common/wire/limits.hpp"

namespace fixkeep::worker {
namespace {

wire::AnswerForm form_of(std::string_view content_type) {
  if (content_type.starts_with("text/plain")) return wire::AnswerForm::text;
  return content_type == "application/json" ? wire::AnswerForm::json : wire::AnswerForm::problem;
}

}  // namespace

wire::OperatorAnswer answer_through_master(const wire::OperatorCall& call, StatusSource source,
                                           bool allowed) {
  auto answer =
      allowed
          ? operator_call(call.changes ? "POST" : "GET", call.target, call.body, std::move(source))
          : net::problem(403, "worker-forbids", "The worker takes no calls of masters",
                         "ask it itself; its admin.through_masters is false");
  FIXKEEP_ASSERT(answer.body.size() <= wire::limits::call_answer_bytes, call.target);
  return {.request = call.request,
          .status = answer.status,
          .form = form_of(answer.content_type),
          .body = std::move(answer.body)};
}

}  // namespace fixkeep::worker
