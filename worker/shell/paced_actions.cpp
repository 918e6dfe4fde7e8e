#include "worker/shell/paced_actions.hpp"

#include <boost/asio/post.hpp>
#include <utility>
#include <variant>

namespace fixkeep::worker {

PacedActions::PacedActions(boost::asio::io_context& context,
                           std::function<void(const Action&)> perform, std::function<void()> done)
    : context_(context), perform_(std::move(perform)), done_(std::move(done)) {}

void PacedActions::run() {
  if (continues_) return;  // those that were there before come first
  std::size_t starts = 0;
  while (!waiting_.empty() && starts < starts_a_turn) {
    if (std::holds_alternative<StartProcess>(waiting_.front())) ++starts;
    perform_first();
  }
  if (!waiting_.empty()) continue_later();
}

void PacedActions::run_all() {
  while (!waiting_.empty()) perform_first();
}

void PacedActions::perform_first() {
  const Action action = std::move(waiting_.front());
  waiting_.pop_front();
  perform_(action);
}

void PacedActions::continue_later() {
  continues_ = true;
  boost::asio::post(context_, [this, alive = std::weak_ptr{alive_}] {
    if (alive.expired()) return;
    continues_ = false;
    run();
    done_();
  });
}

}  // namespace fixkeep::worker
