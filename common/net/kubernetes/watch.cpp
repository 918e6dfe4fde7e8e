#include "common/net/kubernetes/watch.hpp"

#include <boost/asio/steady_timer.hpp>
#include <utility>

#include "common/net/steady_clock.hpp"

namespace fixkeep::kubernetes {

using std::chrono::milliseconds;

namespace {

constexpr milliseconds list_limit{60'000};
constexpr milliseconds begin_limit{20'000};
// Longer than the server's limit for a watch.
constexpr milliseconds silence_limit = Reflector::watch_limit + std::chrono::seconds{20};

}  // namespace

struct Watch::Impl : std::enable_shared_from_this<Impl> {
  Impl(boost::asio::io_context& context, ApiClient& of, ReflectorOptions options, Handlers to)
      : client(of),
        reflector(std::move(options)),
        handlers(std::move(to)),
        pause(context),
        life(context) {}

  void take(const ReflectorStep& step) {
    if (step.ask == ReflectorAsk::list) list(step.target);
    if (step.ask == ReflectorAsk::watch) follow(step.target);
    if (step.ring) {
      pause.expires_after(*step.ring);
      pause.async_wait([self = shared_from_this()](boost::system::error_code cancelled) {
        if (!cancelled && !self->closed) self->take(self->reflector.rang());
      });
    }
    for (const ReflectorNews& each : step.news) {
      if (closed) return;
      tell(each);
    }
  }

  void tell(const ReflectorNews& news) {
    if (const auto* const listed = std::get_if<Listed>(&news)) {
      handlers.listed(listed->objects);
    } else if (const auto* const changed = std::get_if<Changed>(&news)) {
      handlers.changed(changed->object);
    } else if (const auto* const removed = std::get_if<Removed>(&news)) {
      handlers.removed(removed->object);
    } else if (const auto* const away = std::get_if<Away>(&news)) {
      why_away = away->why;
      handlers.away(away->why);
    } else {
      why_away.clear();
      handlers.back();
    }
  }

  void list(const std::string& target) {
    client.ask({.target = target}, list_limit,
               [self = shared_from_this()](const ApiAnswer& answer) {
                 if (self->closed) return;
                 self->take(self->reflector.answered(answer, net::steady_now()));
               });
  }

  void follow(const std::string& target) {
    ApiClient::Stream stream;
    stream.opened = [self = shared_from_this()] {
      if (!self->closed) self->take(self->reflector.opened(net::steady_now()));
    };
    stream.piece = [self = shared_from_this()](const std::string& piece) {
      if (self->closed) return false;
      const ReflectorStep step = self->reflector.piece(piece);
      self->take(step);
      return !step.drop && !self->closed;
    };
    stream.done = [self = shared_from_this()](const ApiAnswer& answer) {
      if (!self->closed) self->take(self->reflector.ended(answer, net::steady_now()));
    };
    client.stream({.target = target}, begin_limit, silence_limit, std::move(stream));
  }

  // This request has its own connection because all other connections may be waiting for the
  // server. Any answer is a sign of life, except a proxy's answer for a dead server.
  void ask_for_life() {
    ApiClient::Stream stream;
    stream.piece = [](const std::string&) { return false; };
    stream.done = [self = shared_from_this()](const ApiAnswer& answer) {
      if (self->closed) return;
      const bool good = answer.status >= 200 && answer.status < 500;
      const std::string why = answer.status == 0 ? answer.body : judge({}, answer).words;
      self->take(self->reflector.heard(good, why));
      self->ask_for_life_later();
    };
    client.stream({.target = "/version"}, sign_of_life_limit, sign_of_life_limit,
                  std::move(stream));
  }

  void ask_for_life_later() {
    life.expires_after(reflector.next_sign_of_life());
    life.async_wait([self = shared_from_this()](boost::system::error_code cancelled) {
      if (!cancelled && !self->closed) self->ask_for_life();
    });
  }

  ApiClient& client;
  Reflector reflector;
  Handlers handlers;
  boost::asio::steady_timer pause;
  boost::asio::steady_timer life;
  std::string why_away;
  bool closed = false;
};

Watch::Watch(boost::asio::io_context& context, ApiClient& client, ReflectorOptions options,
             Handlers handlers)
    : impl_(std::make_shared<Impl>(context, client, std::move(options), std::move(handlers))) {}

Watch::~Watch() {
  impl_->closed = true;
  impl_->pause.cancel();
  impl_->life.cancel();
}

void Watch::begin() {
  impl_->take(impl_->reflector.begin());
  impl_->ask_for_life_later();
}

const std::string& Watch::why_away() const {
  return impl_->why_away;
}

}  // namespace fixkeep::kubernetes
