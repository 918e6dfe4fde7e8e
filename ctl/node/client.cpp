#include "ctl/node/client.hpp"

#include <fmt/format.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/io_context.hpp>
#include <utility>

#include "common/base/result.hpp"
#include "common/net/coroutines.hpp"
#include "common/net/http/client.hpp"
#include "ctl/node/event_stream.hpp"

namespace fixkeep::ctl {
namespace {

namespace asio = boost::asio;
using boost::system::error_code;

// One request and its answer.
class Exchange {
 public:
  Exchange(const NodeUrl& url, const NodeClientOptions& options)
      : url_(url),
        options_(options),
        client_(context_.get_executor(), {.host = url.host,
                                          .port = url.port,
                                          .trust = url.https ? options.trust : nullptr,
                                          .body_bytes = options.answer_bytes}) {}

  NodeClient::Answered ask(net::HttpCall call) {
    if (auto problem = connect(); !problem.empty()) return problem;
    auto reply = wait_for(client_.ask(with_ours(std::move(call)), options_.timeout));
    if (!reply) return failed(reply.error());
    return NodeAnswer{reply->status, std::move(reply->body)};
  }

  NodeClient::Answered follow(net::HttpCall call, std::chrono::milliseconds longest_silence,
                              const NodeClient::OnEvent& on_event) {
    if (auto problem = connect(); !problem.empty()) return problem;
    const auto head = wait_for(client_.open(with_ours(std::move(call)), options_.timeout));
    if (!head) return failed(head.error());
    constexpr unsigned ok = 200;
    if (head->status != ok) return NodeAnswer{head->status, {}};
    EventStream events;
    for (;;) {
      const auto more = wait_for(client_.read_more(longest_silence));
      if (!more) return to_string(url_) + " has hung up: " + more.error().message();
      if (more->empty()) return to_string(url_) + " has ended the stream";
      if (!events.take(*more, on_event)) return std::string{};
      if (events.too_long()) return to_string(url_) + " sends an event without end";
    }
  }

 private:
  // Connects. Returns the reason for a failure; empty: connected.
  std::string connect() {
    const auto connected = wait_for(client_.connect(options_.timeout));
    return connected ? std::string{} : failed(connected.error());
  }

  [[nodiscard]] net::HttpCall with_ours(net::HttpCall call) const {
    call.fields.emplace_back("Connection", "close");
    if (!options_.token.empty()) {
      call.fields.emplace_back("Authorization", "Bearer " + options_.token);
    }
    return call;
  }

  template <class T>
  Result<T> wait_for(asio::awaitable<Result<T>> call) {
    Result<T> outcome = Errc::stopping;
    asio::co_spawn(context_, std::move(call), [&](std::exception_ptr thrown, Result<T> made) {
      net::rethrow(thrown);
      outcome = std::move(made);
    });
    context_.restart();
    context_.run();
    return outcome;
  }

  [[nodiscard]] std::string failed(error_code why) const {
    using Stage = net::HttpClient::Stage;
    const bool no_address = why.category() == asio::error::get_netdb_category();
    std::string_view what = no_address ? "cannot be found" : "cannot be reached";
    switch (client_.stage()) {
      case Stage::dialling: break;
      case Stage::trusting: what = "is not believed"; break;
      case Stage::sending: what = "does not listen"; break;
      case Stage::reading: what = "gives no answer"; break;
    }
    return fmt::format("{} {}: {}", to_string(url_), what, why.message());
  }

  NodeUrl url_;
  const NodeClientOptions& options_;
  asio::io_context context_;
  net::HttpClient client_;
};

}  // namespace

NodeClient::NodeClient(NodeUrl url, NodeClientOptions options)
    : url_(std::move(url)), options_(std::move(options)) {}

NodeClient::Answered NodeClient::get(const std::string& target) const {
  return Exchange{url_, options_}.ask({.target = target});
}

NodeClient::Answered NodeClient::post(const std::string& target, const std::string& body) const {
  return Exchange{url_, options_}.ask({.method = "POST",
                                       .target = target,
                                       .fields = {{"Content-Type", "application/json"}},
                                       .body = body});
}

NodeClient::Answered NodeClient::follow(const std::string& target, const std::string& after,
                                        std::chrono::milliseconds longest_silence,
                                        const OnEvent& on_event) const {
  net::HttpCall call{.target = target, .fields = {{"Accept", "text/event-stream"}}};
  if (!after.empty()) call.fields.emplace_back("Last-Event-ID", after);
  return Exchange{url_, options_}.follow(std::move(call), longest_silence, on_event);
}

}  // namespace fixkeep::ctl
