#include "common/net/otlp/exporter.hpp"

#include <algorithm>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/steady_timer.hpp>
#include <deque>
#include <utility>
#include <vector>

#include "common/net/coroutines.hpp"
#include "common/net/http/client.hpp"
#include "common/net/steady_clock.hpp"
#include "common/obs/log.hpp"
#include "common/obs/log_limit.hpp"

namespace fixkeep::net {

namespace asio = boost::asio;

namespace {

constexpr std::size_t most_answer_bytes = 64U << 10U;

enum class Fate : std::uint8_t { taken, refused, try_again };

Fate fate_of(unsigned status) {
  if (status >= 200 && status < 300) return Fate::taken;
  const bool busy = status == 429 || status == 502 || status == 503 || status == 504;
  return busy ? Fate::try_again : Fate::refused;
}

}  // namespace

std::optional<HttpUrl> parse_otlp_endpoint(std::string_view text) {
  auto url = parse_http_url(text);
  return url && !url->https ? url : std::nullopt;
}

struct OtlpExporter::Impl {
  Impl(asio::io_context& io, OtlpOptions chosen)
      : options(std::move(chosen)),
        timer(io),
        client(io.get_executor(), {.host = options.endpoint.host,
                                   .port = options.endpoint.port,
                                   .body_bytes = most_answer_bytes}) {}

  // --- the queue

  void add(obs::Span&& span) {
    if (stopping) return;
    waiting.push_back(std::move(span));
    if (waiting.size() > options.queue) {
      waiting.pop_front();
      ++counters.dropped_queue_full;
    }
    const bool due = waiting.size() >= options.batch;
    if (due && pausing_for_more) timer.cancel();
  }

  std::vector<obs::Span> next_batch() {
    const auto count = static_cast<std::ptrdiff_t>(std::min(waiting.size(), options.batch));
    std::vector<obs::Span> batch{std::make_move_iterator(waiting.begin()),
                                 std::make_move_iterator(waiting.begin() + count)};
    waiting.erase(waiting.begin(), waiting.begin() + count);
    return batch;
  }

  // --- the way to the collector

  static asio::awaitable<void> run(std::shared_ptr<Impl> self) {
    while (!self->stopping) {
      if (self->waiting.size() < self->options.batch) {
        self->pausing_for_more = true;
        co_await pause(self, self->options.batch_every);
        self->pausing_for_more = false;
      }
      if (!self->stopping && !self->waiting.empty()) co_await send(self, self->next_batch());
    }
    while (!self->waiting.empty() && steady_now() < self->stop_by) {
      co_await send(self, self->next_batch());
    }
    self->counters.dropped_by_collector += self->waiting.size();
    self->waiting.clear();
    self->client.close();
  }

  static asio::awaitable<void> pause(std::shared_ptr<Impl> self, std::chrono::milliseconds time) {
    self->timer.expires_after(time);
    (void)co_await self->timer.async_wait(use_tuple);
  }

  static asio::awaitable<void> send(std::shared_ptr<Impl> self, std::vector<obs::Span> batch) {
    const std::string body = obs::to_otlp_json(self->options.source, batch);
    auto wait = self->options.first_pause;
    for (unsigned attempt = 1; attempt <= self->options.attempts; ++attempt) {
      const bool last_words = self->stopping;
      const Fate fate = co_await post(self, body);
      if (fate == Fate::taken) {
        self->counters.exported += batch.size();
        co_return;
      }
      if (fate == Fate::refused || last_words) break;
      if (attempt == self->options.attempts) break;
      if (!self->stopping) co_await pause(self, wait);
      wait *= 2;
    }
    self->counters.dropped_by_collector += batch.size();
    self->complain(batch.size());
  }

  static asio::awaitable<Fate> post(std::shared_ptr<Impl> self, const std::string& body) {
    HttpCall call{.method = "POST",
                  .target = self->options.endpoint.path,
                  .fields = {{"Content-Type", "application/json"}},
                  .body = body};
    const auto reply = co_await self->client.ask(std::move(call), self->time_left());
    if (!reply) {
      self->trouble = reply.error().message();
      co_return Fate::try_again;
    }
    const Fate fate = fate_of(reply->status);
    if (fate != Fate::taken) self->trouble = "it answers " + std::to_string(reply->status);
    co_return fate;
  }

  [[nodiscard]] std::chrono::milliseconds time_left() const {
    if (!stopping) return options.time_limit;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(stop_by - steady_now());
    return std::clamp(left, std::chrono::milliseconds{1}, options.time_limit);
  }

  void complain(std::size_t spans) {
    const auto like_it = complaints.admit("lost", steady_now());
    if (!like_it) return;
    obs::log_warning("spans lost: the collector did not take them" + obs::more_like_it(*like_it),
                     {{"host", options.endpoint.host},
                      {"port", options.endpoint.port},
                      {"spans", spans},
                      {"reason", trouble}});
  }

  void stop(std::chrono::milliseconds patience) {
    if (std::exchange(stopping, true)) return;
    stop_by = steady_now() + patience;
    timer.cancel();
    client.close();
  }

  const OtlpOptions options;
  OtlpCounters counters;
  std::deque<obs::Span> waiting;
  asio::steady_timer timer;
  HttpClient client;
  std::string trouble;
  obs::LogLimit complaints{{.burst = 1,
                            .interval = std::chrono::seconds{10},
                            .longest_interval = std::chrono::hours{1}}};
  TimePoint stop_by;
  bool pausing_for_more = false;
  bool stopping = false;
};

OtlpExporter::OtlpExporter(asio::io_context& context, OtlpOptions options)
    : impl_(std::make_shared<Impl>(context, std::move(options))) {
  asio::co_spawn(context, Impl::run(impl_), rethrow);
}

OtlpExporter::~OtlpExporter() {
  impl_->stop({});
}

void OtlpExporter::add(obs::Span&& span) {
  impl_->add(std::move(span));
}

void OtlpExporter::stop(std::chrono::milliseconds patience) {
  impl_->stop(patience);
}

const OtlpCounters& OtlpExporter::counters() const {
  return impl_->counters;
}

}  // namespace fixkeep::net
