#include "common/net/webhook/webhook.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/steady_timer.hpp>
#include <deque>
#include <utility>

#include "common/auth/hmac.hpp"
#include "common/net/coroutines.hpp"
#include "common/net/http/client.hpp"
#include "common/net/steady_clock.hpp"
#include "common/obs/log.hpp"
#include "common/obs/log_limit.hpp"

namespace fixkeep::net {

namespace asio = boost::asio;
using std::chrono::milliseconds;
using std::chrono::seconds;

std::string webhook_signature(std::string_view secret, seconds at, std::string_view body) {
  const auto digest = auth::hmac_sha256(secret, fmt::format("{}.{}", at.count(), body));
  return fmt::format("t={},v1={:02x}", at.count(), fmt::join(digest, ""));
}

struct Webhook::Impl {
  Impl(asio::io_context& io, WebhookOptions chosen)
      : options(std::move(chosen)),
        timer(io),
        client(io.get_executor(), {.host = options.url.host,
                                   .port = options.url.port,
                                   .trust = options.trust,
                                   .body_bytes = 64U << 10U}) {}

  void add(std::string body) {
    if (stopping) return;
    bytes += body.size();
    waiting.push_back(std::move(body));
    while (bytes > options.queue_bytes) {
      (void)take();
      ++counters.dropped;
      complain("the queue is full");
    }
    if (idle) timer.cancel();
  }

  std::string take() {
    std::string body = std::move(waiting.front());
    waiting.pop_front();
    bytes -= body.size();
    return body;
  }

  static asio::awaitable<void> run(std::shared_ptr<Impl> self) {
    milliseconds pause = self->options.first_pause;
    while (!self->stopping) {
      if (self->waiting.empty()) {
        self->idle = true;
        co_await self->sleep(milliseconds::max());
        self->idle = false;
        continue;
      }
      std::string body = self->take();
      if (co_await self->post(body)) {
        ++self->counters.delivered;
        pause = self->options.first_pause;
        continue;
      }
      if (self->stopping) break;
      ++self->counters.failures;
      self->add(std::move(body));
      co_await self->sleep(pause);
      pause = std::min(2 * pause, self->options.longest_pause);
    }
    self->client.close();
  }

  asio::awaitable<void> sleep(milliseconds time) {
    if (time == milliseconds::max()) {
      timer.expires_at(asio::steady_timer::time_point::max());
    } else {
      timer.expires_after(time);
    }
    (void)co_await timer.async_wait(use_tuple);
  }

  asio::awaitable<bool> post(const std::string& body) {
    const auto now =
        std::chrono::duration_cast<seconds>(std::chrono::system_clock::now().time_since_epoch());
    HttpCall call{.method = "POST",
                  .target = options.url.path,
                  .fields = {{"Content-Type", "application/json"},
                             {"Fixkeep-Signature", webhook_signature(options.secret, now, body)}},
                  .body = body};
    const auto reply = co_await client.ask(std::move(call), options.time_limit);
    if (reply && reply->status >= 200 && reply->status < 300) co_return true;
    if (!stopping) {
      complain(reply ? "it answers " + std::to_string(reply->status) : reply.error().message());
    }
    co_return false;
  }

  void complain(const std::string& why) {
    const auto like_it = complaints.admit("webhook", steady_now());
    if (!like_it) return;
    obs::log_warning("the webhook did not take an event" + obs::more_like_it(*like_it),
                     {{"host", options.url.host},
                      {"port", options.url.port},
                      {"waiting", waiting.size()},
                      {"reason", why}});
  }

  void stop() {
    stopping = true;
    timer.cancel();
    client.close();
  }

  const WebhookOptions options;
  WebhookCounters counters;
  std::deque<std::string> waiting;
  std::size_t bytes = 0;  // the size of `waiting`
  asio::steady_timer timer;
  HttpClient client;
  obs::LogLimit complaints{
      {.burst = 1, .interval = seconds{10}, .longest_interval = std::chrono::hours{1}}};
  bool idle = false;  // the timer waits for an event
  bool stopping = false;
};

Webhook::Webhook(asio::io_context& context, WebhookOptions options)
    : impl_(std::make_shared<Impl>(context, std::move(options))) {
  asio::co_spawn(context, Impl::run(impl_), rethrow);
}

Webhook::~Webhook() {
  impl_->stop();
}

void Webhook::add(std::string body) {
  impl_->add(std::move(body));
}

void Webhook::stop() {
  impl_->stop();
}

WebhookCounters Webhook::counters() const {
  WebhookCounters now = impl_->counters;
  now.waiting = impl_->waiting.size();
  return now;
}

}  // namespace fixkeep::net
