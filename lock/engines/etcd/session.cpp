#include "lock/engines/etcd/session.hpp"

#include <boost/asio/async_result.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "common/net/coroutines.hpp"
#include "common/obs/log.hpp"
#include "lock/engines/etcd/wire.hpp"

namespace fixkeep::engine {

namespace asio = boost::asio;
using boost::system::error_code;

namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::seconds record_ttl = std::chrono::hours{2};

std::int64_t whole_seconds(Duration ttl) {
  return std::max<std::int64_t>(1, std::chrono::ceil<std::chrono::seconds>(ttl).count());
}

}  // namespace

struct EtcdSession::Impl : std::enable_shared_from_this<Impl> {
  Impl(asio::io_context& given_context, EtcdTransport& given_transport,
       EtcdSessionOptions given_options, Handlers given_handlers)
      : context(given_context),
        transport(&given_transport),
        options(std::move(given_options)),
        handlers(std::move(given_handlers)),
        pause_timer(context),
        expiry_timer(context) {}

  asio::io_context& context;
  EtcdTransport* transport;  // unused if `closed`
  EtcdSessionOptions options;
  Handlers handlers;
  asio::steady_timer pause_timer;
  asio::steady_timer expiry_timer;

  bool closed = false;
  bool open = false;
  bool authenticated = false;
  bool complained = false;  // a refusal has been logged since the last opening
  std::uint64_t number = 0;
  std::int64_t lease = 0;
  std::int64_t old_lease = 0;  // lease to revoke
  std::int64_t record_lease = 0;
  Clock::time_point record_lease_until;
  Duration ttl{};
  Clock::time_point expires;

  // Returns the server's answer, or no value if no answer came. The caller may ask again
  // immediately: the transport itself pauses after all servers have failed.
  static asio::awaitable<std::optional<EtcdReply>> ask(std::shared_ptr<Impl> self,
                                                       std::string_view path, std::string body) {
    const auto start = [&self, path, &body](auto handler) {
      auto shared = std::make_shared<decltype(handler)>(std::move(handler));
      self->transport->post(
          path, std::move(body), [shared](Result<EtcdReply> reply) { (*shared)(std::move(reply)); },
          EtcdTransport::Order::urgent);
    };
    auto reply =
        co_await asio::async_initiate<const asio::use_awaitable_t<>, void(Result<EtcdReply>)>(
            start, asio::use_awaitable);
    if (self->closed || !reply) co_return std::nullopt;
    if (wants_another_token(reply->status, reply->body)) self->authenticated = false;
    co_return std::move(*reply);
  }

  void complain(std::string_view what, const EtcdReply& reply) {
    if (complained) return;
    complained = true;
    obs::log_error("etcd refuses",
                   {{"what", what}, {"status", reply.status}, {"answer", reply.body}});
  }

  asio::awaitable<void> pause(Duration time) {
    pause_timer.expires_after(time);
    co_await pause_timer.async_wait(net::use_tuple);
  }

  // --- opening

  static asio::awaitable<bool> authenticate(std::shared_ptr<Impl> self) {
    if (self->authenticated || self->options.username.empty()) co_return true;
    const auto reply = co_await ask(
        self, authenticate_path, authenticate_body(self->options.username, self->options.password));
    if (!reply) co_return false;
    const auto token = reply->status == 200 ? read_auth_token(reply->body) : std::nullopt;
    if (!token) {
      self->complain("the user or the password", *reply);
      co_return false;
    }
    self->transport->authorize(*token);
    self->authenticated = true;
    co_return true;
  }

  static asio::awaitable<std::optional<EtcdLease>> grant(std::shared_ptr<Impl> self,
                                                         std::int64_t ttl_s) {
    const auto reply = co_await ask(self, "/v3/lease/grant", grant_lease_body(ttl_s));
    if (!reply) co_return std::nullopt;
    const auto granted = reply->status == 200 ? read_lease(reply->body) : std::nullopt;
    if (!granted || granted->ttl_s <= 0) {
      self->complain("a lease", *reply);
      co_return std::nullopt;
    }
    co_return granted;
  }

  static asio::awaitable<bool> grant_record_lease(std::shared_ptr<Impl> self) {
    if (self->record_lease != 0 && Clock::now() + record_ttl / 2 < self->record_lease_until) {
      co_return true;
    }
    const auto sent = Clock::now();
    const auto granted = co_await grant(self, record_ttl.count());
    if (!granted) co_return false;
    self->record_lease = granted->id;
    self->record_lease_until = sent + std::chrono::seconds{granted->ttl_s};
    co_return true;
  }

  static asio::awaitable<bool> open_session(std::shared_ptr<Impl> self) {
    if (!co_await authenticate(self)) co_return false;
    if (self->old_lease != 0) {
      const auto reply = co_await ask(self, "/v3/lease/revoke", lease_body(self->old_lease));
      if (!reply || (reply->status != 200 && reply->status != 404)) co_return false;
      self->old_lease = 0;
    }
    if (!co_await grant_record_lease(self)) co_return false;
    const auto sent = Clock::now();
    const auto granted = co_await grant(self, whole_seconds(self->options.ttl));
    if (!granted) co_return false;
    self->lease = granted->id;
    self->ttl = std::chrono::seconds{granted->ttl_s};
    self->open = true;
    self->complained = false;
    ++self->number;
    self->extend(sent);
    co_return true;
  }

  // --- while the session is open

  void extend(Clock::time_point sent) {
    expires = sent + ttl;
    expiry_timer.expires_at(expires);
    expiry_timer.async_wait([self = shared_from_this()](error_code error) {
      if (!error && Clock::now() >= self->expires) self->lose("no renewal was answered in time");
    });
  }

  static asio::awaitable<void> renew(std::shared_ptr<Impl> self) {
    const auto mine = self->number;
    auto sent = self->expires - self->ttl;
    while (true) {
      self->pause_timer.expires_at(sent + self->ttl / 3);
      co_await self->pause_timer.async_wait(net::use_tuple);
      if (self->closed || !self->open || self->number != mine) co_return;
      if (!co_await authenticate(self) || !co_await grant_record_lease(self)) {
        if (self->closed) co_return;
        co_await self->pause(refused_pause);
        continue;
      }
      const auto now = Clock::now();
      const auto reply = co_await ask(self, "/v3/lease/keepalive", lease_body(self->lease));
      if (self->closed || !self->open || self->number != mine) co_return;
      if (Clock::now() >= self->expires) {
        // The lease has expired, but its timer has not run yet. A caller may have seen the session
        // as expired, and must not see the session open again.
        self->lose("no renewal was answered in time");
        co_return;
      }
      if (!reply) continue;
      const auto renewed = reply->status == 200 ? read_lease(reply->body) : std::nullopt;
      if (!renewed) {
        self->complain("to renew the lease", *reply);
        co_await self->pause(refused_pause);
      } else if (renewed->ttl_s <= 0) {
        self->lose("the lease is over");
        co_return;
      } else {
        sent = now;
        self->ttl = std::chrono::seconds{renewed->ttl_s};
        self->extend(sent);
      }
    }
  }

  static asio::awaitable<void> run(std::shared_ptr<Impl> self) {
    while (!self->closed) {
      const bool opened = co_await open_session(self);
      if (self->closed) co_return;
      if (!opened) {
        co_await self->pause(refused_pause);
        continue;
      }
      self->handlers.on_opened();
      if (!self->closed) co_await renew(self);
    }
  }

  void lose(std::string_view reason) {
    if (!open || closed) return;
    open = false;
    old_lease = lease;
    record_lease = 0;  // a server that lost one lease may have lost both
    obs::log_warning("lost the lease in etcd", {{"reason", reason}});
    expiry_timer.cancel();
    pause_timer.cancel();
    handlers.on_lost();
  }

  void close() {
    closed = true;
    open = false;
    pause_timer.cancel();
    expiry_timer.cancel();
  }
};

EtcdSession::EtcdSession(asio::io_context& context, EtcdTransport& transport,
                         EtcdSessionOptions options, Handlers handlers)
    : impl_(std::make_shared<Impl>(context, transport, std::move(options), std::move(handlers))) {
  asio::co_spawn(context, Impl::run(impl_), asio::detached);
}
EtcdSession::~EtcdSession() {
  close();
}

void EtcdSession::lose(std::string_view reason) {
  impl_->lose(reason);
}

void EtcdSession::authenticate_again() {
  impl_->authenticated = false;
  impl_->pause_timer.cancel();
}

void EtcdSession::say_goodbye(std::function<void()> done) {
  const auto lease = impl_->lease;
  impl_->close();
  impl_->transport->post(
      "/v3/lease/revoke", lease_body(lease),
      [done = std::move(done)](Result<EtcdReply>) { done(); }, EtcdTransport::Order::urgent);
}

void EtcdSession::close() {
  impl_->close();
}

bool EtcdSession::open() const {
  return impl_->open && Clock::now() < impl_->expires;
}
std::uint64_t EtcdSession::number() const {
  return impl_->number;
}
std::int64_t EtcdSession::lease() const {
  return impl_->lease;
}
std::int64_t EtcdSession::record_lease() const {
  return impl_->record_lease;
}
Duration EtcdSession::ttl() const {
  return impl_->ttl;
}

}  // namespace fixkeep::engine
