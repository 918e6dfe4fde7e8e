#include "common/net/dial/dialler.hpp"

#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>

#include "common/net/dial/dial_plan.hpp"
#include "common/net/steady_clock.hpp"

namespace fixkeep::net {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

// One dial. Its timer always runs and keeps this object alive.
class Dialler::Call : public std::enable_shared_from_this<Call> {
 public:
  Call(const asio::any_io_executor& executor, DialTarget target, Done done)
      : executor_(executor),
        target_(std::move(target)),
        done_(std::move(done)),
        end_(steady_now() + target_.limit),
        timer_(executor),
        socket_(executor) {}

  void start(NameLookups& lookups) {
    question_ = lookups.ask(executor_, target_.host, [this](const LookupAnswer& answer) {
      const auto self = shared_from_this();
      question_.reset();
      if (answer.error) return finish(answer.error);
      plan_ = DialPlan{answer.addresses, end_};
      next();
    });
    wait_until(end_, [](Call& self) { self.finish(asio::error::host_not_found_try_again); });
  }

  void finish(error_code error) {
    if (!done_) return;
    const auto done = std::exchange(done_, {});
    question_.reset();
    timer_.cancel();
    auto socket = std::exchange(socket_, tcp::socket{executor_});
    if (error) socket = tcp::socket{executor_};
    asio::post(executor_, [done, error, socket = std::move(socket)]() mutable {
      done(error, std::move(socket));
    });
  }

 private:
  void next() {
    const auto chosen = plan_.next(steady_now());
    if (!chosen) {
      finish(failed_ ? failed_ : asio::error::timed_out);
      return;
    }
    socket_ = tcp::socket{executor_};
    const auto number = ++tries_;
    socket_.async_connect({chosen->address, target_.port},
                          [self = shared_from_this(), number](error_code error) {
                            if (self->tries_ != number || !self->done_) return;
                            self->tried(error);
                          });
    wait_until(chosen->until, [](Call& self) { self.tried(asio::error::timed_out); });
  }

  void tried(error_code error) {
    if (!error) {
      finish(error);
      return;
    }
    failed_ = error;
    next();
  }

  void wait_until(TimePoint at, void (*then)(Call&)) {
    timer_.expires_at(to_steady(at));
    timer_.async_wait([self = shared_from_this(), then, of = tries_](error_code cancelled) {
      if (!cancelled && self->done_ && self->tries_ == of) then(*self);
    });
  }

  asio::any_io_executor executor_;
  const DialTarget target_;
  Done done_;  // empty: the dial has ended
  const TimePoint end_;
  asio::steady_timer timer_;
  tcp::socket socket_;
  std::unique_ptr<NameLookups::Question> question_;
  DialPlan plan_;
  error_code failed_;
  unsigned tries_ = 0;
};

Dialler::Dialler(asio::any_io_executor executor, std::shared_ptr<NameLookups> lookups)
    : executor_(std::move(executor)), lookups_(std::move(lookups)) {}

Dialler::~Dialler() {
  cancel();
}

void Dialler::dial(DialTarget target, Done done) {
  const auto call = std::make_shared<Call>(executor_, std::move(target), std::move(done));
  call_ = call;
  call->start(*lookups_);
}

void Dialler::cancel() {
  if (const auto call = call_.lock()) call->finish(asio::error::operation_aborted);
}

}  // namespace fixkeep::net
