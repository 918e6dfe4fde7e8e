#include "common/net/http/pool.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

#include "common/net/coroutines.hpp"

namespace fixkeep::net {

namespace asio = boost::asio;
using std::chrono::milliseconds;

struct HttpPool::Impl : std::enable_shared_from_this<Impl> {
  using Client = std::shared_ptr<HttpClient>;
  struct Question {
    HttpCall call;
    milliseconds limit;
    Done done;
  };
  // A kept connection. The pool reuses a connection only if renew() was not called after its dial.
  struct Idle {
    Client client;
    std::uint64_t made_by = 0;
  };

  Impl(asio::io_context& of, HttpClientOptions chosen) : context(of), options(std::move(chosen)) {}

  [[nodiscard]] Idle new_client() const {
    return {std::make_shared<HttpClient>(context.get_executor(), options), renewals};
  }

  void next() {
    if (waiting.empty() || closed || (idle.empty() && busy >= connections)) return;
    Idle client = idle.empty() ? new_client() : std::move(idle.back());
    if (!idle.empty()) idle.pop_back();
    ++busy;
    serving.push_back(client.client);
    Question question = std::move(waiting.front());
    waiting.pop_front();
    asio::co_spawn(context, serve(shared_from_this(), std::move(client), std::move(question)),
                   rethrow);
  }

  // Begins in a later turn of the loop. If the owner was destroyed before this turn, does nothing.
  static asio::awaitable<void> serve(std::shared_ptr<Impl> self, Idle with, Question question) {
    if (self->closed) co_return;
    auto reply = co_await with.client->ask(std::move(question.call), question.limit);
    --self->busy;
    std::erase(self->serving, with.client);
    if (self->closed) co_return;
    if (with.made_by == self->renewals) self->idle.push_back(std::move(with));
    const Answer answer = reply ? Answer{reply->status, std::move(reply->body), reply->retry_after}
                                : Answer{0, reply.error().message(), {}};
    question.done(answer);
    self->next();
  }

  static asio::awaitable<void> run(std::shared_ptr<Impl> self, HttpCall call, milliseconds limit,
                                   milliseconds each, Stream handlers) {
    if (self->closed) co_return;
    const Client client = self->new_client().client;
    self->streams.push_back(client);
    const Answer answer = co_await run_on(self, client, std::move(call), limit, each, handlers);
    std::erase(self->streams, client);
    if (!self->closed) handlers.done(answer);
  }

  static asio::awaitable<Answer> run_on(std::shared_ptr<Impl> self, Client client, HttpCall call,
                                        milliseconds limit, milliseconds each,
                                        const Stream& handlers) {
    const auto head = co_await client->open(std::move(call), limit);
    if (!head) co_return Answer{0, head.error().message(), {}};
    const bool good = head->status >= 200 && head->status < 300;
    if (good && !self->closed && handlers.opened) handlers.opened();
    for (std::string begin;;) {
      if (self->closed) co_return Answer{};
      const auto piece = co_await client->read_more(each);
      if (self->closed) co_return Answer{};
      if (!piece) co_return Answer{0, piece.error().message(), {}};
      if (piece->empty()) co_return Answer{head->status, begin, head->retry_after};
      if (!good) {
        begin += piece->substr(0, most_error - begin.size());
        if (begin.size() >= most_error) co_return Answer{head->status, begin, head->retry_after};
      } else if (!handlers.piece(*piece)) {
        co_return Answer{head->status, {}, {}};
      }
      if (piece->size() < much_at_once) continue;
      asio::steady_timer pause{self->context, pause_after_much};
      (void)co_await pause.async_wait(use_tuple);
    }
  }

  static constexpr std::size_t most_error = 4096;
  static constexpr std::size_t much_at_once = 8192;
  static constexpr milliseconds pause_after_much{10};

  asio::io_context& context;
  HttpClientOptions options;
  std::uint64_t renewals = 0;
  std::deque<Question> waiting;
  std::vector<Idle> idle;
  std::vector<Client> serving;
  std::vector<Client> streams;
  std::size_t busy = 0;
  bool closed = false;
};

HttpPool::HttpPool(asio::io_context& context, HttpClientOptions options)
    : impl_(std::make_shared<Impl>(context, std::move(options))) {}

HttpPool::~HttpPool() {
  impl_->closed = true;
  impl_->waiting.clear();
  impl_->idle.clear();
  for (const auto& client : impl_->serving) client->close();
  for (const auto& client : impl_->streams) client->close();
}

void HttpPool::renew(HttpClientOptions options) {
  impl_->options = std::move(options);
  ++impl_->renewals;
  impl_->idle.clear();
}

void HttpPool::ask(HttpCall call, milliseconds limit, Done done) {
  impl_->waiting.push_back({std::move(call), limit, std::move(done)});
  impl_->next();
}

void HttpPool::stream(HttpCall call, milliseconds limit, milliseconds each, Stream handlers) {
  asio::co_spawn(impl_->context,
                 Impl::run(impl_, std::move(call), limit, each, std::move(handlers)), rethrow);
}

}  // namespace fixkeep::net
