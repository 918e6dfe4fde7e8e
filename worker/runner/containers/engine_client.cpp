#include "worker/runner/containers/engine_client.hpp"

#include <algorithm>
#include <optional>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

#include "worker/runner/containers/engine_texts.hpp"

namespace fixkeep::worker::containers {

using net::HttpCall, net::HttpPool;
using std::chrono::milliseconds;

namespace {

net::HttpClientOptions at_socket(std::string socket) {
  net::HttpClientOptions options;
  options.path = std::move(socket);
  options.body_bytes = EngineClient::most_answer;
  return options;
}

}  // namespace

struct EngineClient::Impl : std::enable_shared_from_this<Impl> {
  // Gets status 0 and the reason if the version could not be agreed; otherwise status 200.
  using Agreed = std::function<void(const Answer& refused)>;

  Impl(boost::asio::io_context& context, EnginePlace place)
      : pool(std::make_unique<HttpPool>(context, at_socket(std::move(place.socket)))),
        dialect(std::move(place.dialect)),
        version(dialect.api) {}

  void agree(milliseconds limit, Agreed agreed) {
    if (!version.empty()) return agreed({.status = 200});
    waiting.push_back(std::move(agreed));
    if (waiting.size() > 1) return;
    HttpCall question;
    question.target = "/version";
    pool->ask(std::move(question), std::min<milliseconds>(limit, version_limit),
              [known = weak_from_this()](const Answer& answer) {
                if (const auto self = known.lock()) self->heard_version(answer);
              });
  }

  // A handler may destroy the client. The next handlers are then not called.
  void heard_version(const Answer& answer) {
    Answer verdict = answer;
    if (answer.status != 0) {
      const auto chosen = version_to_speak(answer.body);
      const auto* const why = std::get_if<std::string>(&chosen);
      verdict = why != nullptr ? Answer{.status = 0, .body = *why} : Answer{.status = 200};
      if (why == nullptr) version = "/v" + to_string(std::get<ApiVersion>(chosen));
    }
    for (const Agreed& agreed : std::exchange(waiting, {})) {
      if (pool != nullptr) agreed(verdict);
    }
  }

  // After a lost answer, forgets the agreed version: another engine, with another version, may have
  // been started.
  [[nodiscard]] Done looked_at(Done done) {
    return [known = weak_from_this(), done = std::move(done)](const Answer& answer) {
      const auto self = known.lock();
      if (self && answer.status == 0) self->version = self->dialect.api;
      Answer read = answer;
      if (self) read.status = self->dialect.status_of(answer.status, answer.body);
      done(read);
    };
  }

  std::unique_ptr<HttpPool> pool;  // null: the client is gone
  Dialect dialect;
  std::string version;          // for example "/v1.41"; empty: not agreed yet
  std::vector<Agreed> waiting;  // requests that wait for the version
};

EngineClient::EngineClient(boost::asio::io_context& context, EnginePlace place)
    : impl_(std::make_shared<Impl>(context, std::move(place))) {}

EngineClient::~EngineClient() {
  impl_->pool.reset();
}

const Dialect& EngineClient::dialect() const {
  return impl_->dialect;
}

void EngineClient::ask(HttpCall call, milliseconds limit, Done done) {
  impl_->agree(limit, [self = impl_.get(), call = std::move(call), limit,
                       done = impl_->looked_at(std::move(done))](const Answer& refused) mutable {
    if (refused.status == 0) return done(refused);
    call.target = self->version + call.target;
    self->pool->ask(std::move(call), limit, std::move(done));
  });
}

void EngineClient::stream(HttpCall call, milliseconds limit, milliseconds each, Stream handlers) {
  handlers.done = impl_->looked_at(std::move(handlers.done));
  impl_->agree(limit, [self = impl_.get(), call = std::move(call), limit, each,
                       handlers = std::move(handlers)](const Answer& refused) mutable {
    if (refused.status == 0) return handlers.done(refused);
    call.target = self->version + call.target;
    self->pool->stream(std::move(call), limit, each, std::move(handlers));
  });
}

EngineClient::Answer ask_engine_and_wait(const EnginePlace& place, HttpCall call,
                                         milliseconds limit) {
  boost::asio::io_context context;
  EngineClient client{context, place};
  std::optional<EngineClient::Answer> answer;
  client.ask(std::move(call), limit, [&](const EngineClient::Answer& given) { answer = given; });
  // Two limits: the request for the version comes first, with a limit of its own.
  context.run_for(2 * limit + std::chrono::seconds{1});
  return answer.value_or(EngineClient::Answer{.status = 0, .body = "there was no answer in time"});
}

EngineClient::Answer ask_engine_patiently(const EnginePlace& place, const HttpCall& call,
                                          milliseconds limit, milliseconds patience) {
  constexpr milliseconds between{200};
  const auto until = std::chrono::steady_clock::now() + patience;
  for (;;) {
    auto answer = ask_engine_and_wait(place, call, limit);
    const bool says_nothing = answer.status == 0 || answer.status >= 500;
    if (!says_nothing || std::chrono::steady_clock::now() > until) return answer;
    std::this_thread::sleep_for(between);
  }
}

}  // namespace fixkeep::worker::containers
