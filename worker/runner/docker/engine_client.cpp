#include "worker/runner/docker/engine_client.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/steady_timer.hpp>
#include <deque>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "common/net/coroutines.hpp"
#include "worker/runner/docker/engine_texts.hpp"

namespace fixkeep::worker::docker {

namespace asio = boost::asio;
using net::HttpCall, net::HttpClient, net::HttpReply;
using std::chrono::milliseconds;

struct EngineClient::Impl : std::enable_shared_from_this<Impl> {
  using Client = std::shared_ptr<HttpClient>;
  struct Question {
    HttpCall call;
    milliseconds limit;
    Done done;
  };

  Impl(asio::io_context& of, std::string path) : context(of), socket(std::move(path)) {}

  [[nodiscard]] Client new_client() const {
    net::HttpClientOptions options;
    options.path = socket;
    options.body_bytes = most_answer;
    return std::make_shared<HttpClient>(context.get_executor(), std::move(options));
  }

  void next() {
    if (waiting.empty() || closed) return;
    if (idle.empty() && busy >= connections) return;
    Client client;
    if (idle.empty()) {
      client = new_client();
    } else {
      client = std::move(idle.back());
      idle.pop_back();
    }
    ++busy;
    Question question = std::move(waiting.front());
    waiting.pop_front();
    asio::co_spawn(context, serve(shared_from_this(), std::move(client), std::move(question)),
                   net::rethrow);
  }

  static asio::awaitable<void> serve(std::shared_ptr<Impl> self, Client client, Question question) {
    const Answer answer = co_await asked(self, client, std::move(question.call), question.limit);
    --self->busy;
    if (self->closed) co_return;
    self->idle.push_back(std::move(client));
    question.done(answer);
    self->next();
  }

  static asio::awaitable<Answer> asked(std::shared_ptr<Impl> self, Client client, HttpCall call,
                                       milliseconds limit) {
    const Answer refused = co_await prepare(self, client, call, limit);
    if (refused.status != 200) co_return refused;
    auto reply = co_await client->ask(std::move(call), limit);
    if (!reply) co_return self->lost(reply.error());
    co_return Answer{reply->status, std::move(reply->body)};
  }

  // Puts the version before the target; anything but 200: there is none to put there.
  static asio::awaitable<Answer> prepare(std::shared_ptr<Impl> self, Client client, HttpCall& call,
                                         milliseconds limit) {
    if (self->version.empty()) {
      HttpCall question;
      question.target = "/version";
      auto reply = co_await client->ask(std::move(question), limit);
      if (!reply) co_return self->lost(reply.error());
      const auto chosen = version_to_speak(reply->body);
      if (const auto* const why = std::get_if<std::string>(&chosen)) co_return Answer{0, *why};
      self->version = "/v" + to_string(std::get<ApiVersion>(chosen));
    }
    call.target = self->version + call.target;
    co_return Answer{200, {}};
  }

  Answer lost(const boost::system::error_code& error) {
    version.clear();
    return {0, error.message()};
  }

  static asio::awaitable<void> run(std::shared_ptr<Impl> self, HttpCall call, milliseconds limit,
                                   milliseconds each, Stream handlers) {
    const Client client = self->new_client();
    self->streams.push_back(client);
    const Answer answer = co_await run_on(self, client, std::move(call), limit, each, handlers);
    std::erase(self->streams, client);
    if (!self->closed) handlers.done(answer);
  }

  static asio::awaitable<Answer> run_on(std::shared_ptr<Impl> self, Client client, HttpCall call,
                                        milliseconds limit, milliseconds each,
                                        const Stream& handlers) {
    const Answer refused = co_await prepare(self, client, call, limit);
    if (refused.status != 200) co_return refused;
    const auto head = co_await client->open(std::move(call), limit);
    if (!head) co_return self->lost(head.error());
    const bool good = head->status == 200;
    if (good && !self->closed && handlers.opened) handlers.opened();
    for (std::string begin;;) {
      const auto piece = co_await client->read_more(each);
      if (self->closed) co_return Answer{};
      if (!piece) co_return self->lost(piece.error());
      if (piece->empty()) co_return Answer{head->status, begin};
      if (!good) {
        begin += piece->substr(0, most_error - std::min(begin.size(), most_error));
      } else if (!handlers.piece(*piece)) {
        co_return Answer{head->status, {}};
      }
      if (piece->size() < much_at_once) continue;
      asio::steady_timer pause{self->context, pause_after_much};
      (void)co_await pause.async_wait(net::use_tuple);
    }
  }

  static constexpr std::size_t most_error = 4096;
  static constexpr std::size_t much_at_once = 8192;
  static constexpr milliseconds pause_after_much{10};

  asio::io_context& context;
  std::string socket;
  std::string version;  // "/v1.41"; empty: not agreed on
  std::deque<Question> waiting;
  std::vector<Client> idle;
  std::vector<Client> streams;
  std::size_t busy = 0;
  bool closed = false;
};

EngineClient::EngineClient(asio::io_context& context, std::string socket)
    : impl_(std::make_shared<Impl>(context, std::move(socket))) {}

EngineClient::~EngineClient() {
  impl_->closed = true;
  impl_->waiting.clear();
  impl_->idle.clear();
  for (const auto& client : impl_->streams) client->close();
}

void EngineClient::ask(HttpCall call, milliseconds limit, Done done) {
  impl_->waiting.push_back({std::move(call), limit, std::move(done)});
  impl_->next();
}

void EngineClient::stream(HttpCall call, milliseconds limit, milliseconds each, Stream handlers) {
  asio::co_spawn(impl_->context,
                 Impl::run(impl_, std::move(call), limit, each, std::move(handlers)), net::rethrow);
}

EngineClient::Answer ask_engine_and_wait(const std::string& socket, HttpCall call,
                                         milliseconds limit) {
  asio::io_context context;
  EngineClient client{context, socket};
  std::optional<EngineClient::Answer> answer;
  client.ask(std::move(call), limit, [&](const EngineClient::Answer& given) { answer = given; });
  // The version is asked for first, with a limit of its own.
  context.run_for(2 * limit + std::chrono::seconds{1});
  return answer.value_or(EngineClient::Answer{0, "there was no answer in time"});
}

}  // namespace fixkeep::worker::docker
