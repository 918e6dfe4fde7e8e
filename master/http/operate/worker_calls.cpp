#include "master/http/operate/worker_calls.hpp"

#include <string_view>
#include <utility>

#include "master/http/problem_member.hpp"

namespace fixkeep::master {
namespace {

std::string_view type_of(wire::AnswerForm form) {
  switch (form) {
    case wire::AnswerForm::json: return "application/json";
    case wire::AnswerForm::problem: return "application/problem+json";
    case wire::AnswerForm::text: return "text/plain; charset=utf-8";
  }
  return "application/octet-stream";
}

net::HttpAnswer away() {
  return net::problem(503, "worker-away", "The worker has no link to this master",
                      "ask another master, or the worker itself");
}

}  // namespace

std::shared_ptr<WorkerCalls> WorkerCalls::start(boost::asio::io_context& context, Send send,
                                                WorkerCallOptions options) {
  return std::shared_ptr<WorkerCalls>{new WorkerCalls{context, std::move(send), options}};
}

WorkerCalls::WorkerCalls(boost::asio::io_context& context, Send send, WorkerCallOptions options)
    : send_(std::move(send)), options_(options), timer_(context) {}

WorkerCalls::~WorkerCalls() = default;

void WorkerCalls::ask(const WorkerId& worker, wire::OperatorCall&& call,
                      const net::HttpResponder& responder) {
  if (waiting_.size() >= options_.calls_most) {
    return responder.answer(
        retry_in(1, net::problem(503, "too-many-calls", "Too many calls wait for workers",
                                 "retry when some of them are answered")));
  }
  call.request = ++last_;
  if (!send_(worker, std::move(call))) return responder.answer(away());
  waiting_.emplace(
      last_, Waiting{worker, responder, std::chrono::steady_clock::now() + options_.patience});
  if (waiting_.size() == 1) arm();
}

void WorkerCalls::answered(const WorkerId& worker, wire::OperatorAnswer&& answer) {
  const auto found = waiting_.find(answer.request);
  if (found == waiting_.end() || found->second.worker != worker) return;
  const auto responder = found->second.responder;
  waiting_.erase(found);
  responder.answer({.status = answer.status,
                    .content_type = type_of(answer.form),
                    .body = std::move(answer.body)});
}

void WorkerCalls::gone(const WorkerId& worker) {
  for (auto at = waiting_.begin(); at != waiting_.end();) {
    const auto next = std::next(at);
    if (at->second.worker == worker) {
      at->second.responder.answer(away());
      waiting_.erase(at);
    }
    at = next;
  }
}

void WorkerCalls::stop() {
  timer_.cancel();
  waiting_.clear();
}

void WorkerCalls::arm() {
  if (waiting_.empty()) return;
  timer_.expires_at(waiting_.begin()->second.until);
  timer_.async_wait([weak = weak_from_this()](boost::system::error_code error) {
    if (const auto self = weak.lock(); self != nullptr && !error) self->give_up();
  });
}

void WorkerCalls::give_up() {
  const auto now = std::chrono::steady_clock::now();
  while (!waiting_.empty() && waiting_.begin()->second.until <= now) {
    waiting_.begin()->second.responder.answer(
        net::problem(504, "worker-silent", "The worker did not answer in time",
                     "whether it did what was asked is not known; look again, or ask it itself"));
    waiting_.erase(waiting_.begin());
  }
  arm();
}

}  // namespace fixkeep::master
