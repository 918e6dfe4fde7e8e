#include "common/net/webhook/webhook.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/steady_timer.hpp>
#include <deque>
#include <map>
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

struct Webhook::Impl : std::enable_shared_from_this<Webhook::Impl> {
  struct Event {
    std::string body;
    milliseconds pause;  // the next one, after a failure
  };
  enum class Answer : std::uint8_t { taken, refused, none };

  Impl(asio::io_context& io, WebhookOptions chosen)
      : options(std::move(chosen)),
        timer(io),
        end(io),
        client(io.get_executor(), {.host = options.url.host,
                                   .port = options.url.port,
                                   .trust = options.trust,
                                   .body_bytes = 64U << 10U}) {}

  void add(std::string body) {
    if (stopping) return;
    bytes += body.size();
    waiting.push_back({std::move(body), options.first_pause});
    while (bytes > options.queue_bytes) {
      (void)(failed.empty() ? take() : take_failed());
      ++counters.dropped;
      complain("the queue is full");
    }
    timer.cancel();
  }

  Event take() {
    Event event = std::move(waiting.front());
    waiting.pop_front();
    bytes -= event.body.size();
    return event;
  }
  Event take_failed() {
    Event event = std::move(failed.extract(failed.begin()).mapped());
    bytes -= event.body.size();
    return event;
  }

  // When a new event, or else the first failed event, may be posted.
  [[nodiscard]] TimePoint next_post() const {
    if (!waiting.empty()) return quiet_until;
    if (failed.empty()) return steady_now() + std::chrono::hours{1};
    return std::max({quiet_until, retry_from, failed.begin()->first});
  }

  static asio::awaitable<void> run(std::shared_ptr<Impl> self) {
    while (!self->stopping || !self->waiting.empty()) {
      if (const TimePoint next = self->next_post(); !self->stopping && next > steady_now()) {
        self->timer.expires_at(to_steady(next));
        (void)co_await self->timer.async_wait(use_tuple);
        continue;
      }
      const bool is_new = !self->waiting.empty();
      Event event = is_new ? self->take() : self->take_failed();
      const Answer answer = co_await self->post(event.body);
      if (self->ended) break;
      self->posted(std::move(event), is_new, answer);
    }
    self->end.cancel();
    self->client.close();
  }

  void posted(Event&& event, bool is_new, Answer answer) {
    if (answer != Answer::none) quiet = options.first_pause;
    if (answer == Answer::taken) {
      ++counters.delivered;
      return;
    }
    ++counters.failures;
    const TimePoint now = steady_now();
    if (answer == Answer::none) {
      if (stopping) waiting.clear();
      quiet_until = now + quiet;
      quiet = std::min(2 * quiet, options.longest_pause);
    }
    if (!is_new) retry_from = now + options.first_pause;
    const TimePoint due = now + event.pause;
    event.pause = std::min(2 * event.pause, options.longest_pause);
    bytes += event.body.size();
    failed.emplace(due, std::move(event));
  }

  asio::awaitable<Answer> post(const std::string& body) {
    const auto now =
        std::chrono::duration_cast<seconds>(std::chrono::system_clock::now().time_since_epoch());
    HttpCall call{.method = "POST",
                  .target = options.url.path,
                  .fields = {{"Content-Type", "application/json"},
                             {"Fixkeep-Signature", webhook_signature(options.secret, now, body)}},
                  .body = body};
    const auto reply = co_await client.ask(std::move(call), options.time_limit);
    if (reply && reply->status >= 200 && reply->status < 300) co_return Answer::taken;
    if (!ended) {
      complain(reply ? "it answers " + std::to_string(reply->status) : reply.error().message());
    }
    co_return reply ? Answer::refused : Answer::none;
  }

  void complain(const std::string& why) {
    const auto like_it = complaints.admit("webhook", steady_now());
    if (!like_it) return;
    obs::log_warning("the webhook did not take an event" + obs::more_like_it(*like_it),
                     {{"host", options.url.host},
                      {"port", options.url.port},
                      {"waiting", waiting.size() + failed.size()},
                      {"reason", why}});
  }

  void stop(milliseconds more) {
    stopping = true;
    timer.cancel();
    end.expires_after(more);
    end.async_wait([self = weak_from_this()](auto error) {
      const auto impl = self.lock();
      if (!error && impl) impl->give_up();
    });
  }
  void give_up() {
    stopping = ended = true;
    waiting.clear();
    timer.cancel();
    end.cancel();
    client.close();
  }

  const WebhookOptions options;
  WebhookCounters counters;
  std::deque<Event> waiting;               // not posted yet
  std::multimap<TimePoint, Event> failed;  // key: when to try again
  std::size_t bytes = 0;                   // the size of both
  TimePoint quiet_until{};                 // the service did not answer: no post before this time
  milliseconds quiet = options.first_pause;
  TimePoint retry_from{};  // no failed event is tried again before this time
  asio::steady_timer timer;
  asio::steady_timer end;
  HttpClient client;
  obs::LogLimit complaints{
      {.burst = 1, .interval = seconds{10}, .longest_interval = std::chrono::hours{1}}};
  bool stopping = false;
  bool ended = false;  // the time of stop() is over
};

Webhook::Webhook(asio::io_context& context, WebhookOptions options)
    : impl_(std::make_shared<Impl>(context, std::move(options))) {
  asio::co_spawn(context, Impl::run(impl_), rethrow);
}

Webhook::~Webhook() {
  impl_->give_up();
}

void Webhook::add(std::string body) {
  impl_->add(std::move(body));
}

void Webhook::stop(milliseconds more) {
  impl_->stop(more);
}

WebhookCounters Webhook::counters() const {
  WebhookCounters now = impl_->counters;
  now.waiting = impl_->waiting.size() + impl_->failed.size();
  return now;
}

}  // namespace fixkeep::net
