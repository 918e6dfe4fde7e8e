#include "ctl/node/client.hpp"

#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <utility>

#include "common/base/result.hpp"
#include "ctl/node/event_stream.hpp"

namespace fixkeep::ctl {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using boost::system::error_code;

// One request and what comes back. Each step starts something asynchronous and runs the loop until
// it is done, so that each has its limit.
class Exchange {
 public:
  Exchange(const NodeUrl& url, const NodeClientOptions& options)
      : url_(url), options_(options), stream_(context_, url.https ? options.trust : nullptr) {}

  // Empty: it is connected.
  std::string connect() {
    asio::ip::tcp::resolver resolver{context_};
    asio::ip::tcp::resolver::results_type found;
    const auto resolved = step([&](auto done) {
      resolver.async_resolve(url_.host, std::to_string(url_.port),
                             [&, done](error_code why, auto all) {
                               found = std::move(all);
                               done(why);
                             });
    });
    if (resolved) return failed("cannot be found", resolved);
    const auto connected = step([&](auto done) {
      stream_.next().async_connect(found, [done](error_code why, const auto&) { done(why); });
    });
    if (connected) return failed("cannot be reached", connected);
    const auto welcome = step([&](auto done) { stream_.async_welcome(url_.host, done); });
    return welcome ? failed("is not believed", welcome) : std::string{};
  }

  std::string send(http::verb method, const std::string& target, const std::string& body,
                   const std::string& accept, const std::string& after) {
    http::request<http::string_body> request{method, target, 11, body};
    request.set(http::field::host, config_host());
    request.set(http::field::connection, "close");
    if (!accept.empty()) request.set(http::field::accept, accept);
    if (!after.empty()) request.set("Last-Event-ID", after);
    if (!options_.token.empty()) {
      request.set(http::field::authorization, "Bearer " + options_.token);
    }
    if (method == http::verb::post) request.set(http::field::content_type, "application/json");
    request.prepare_payload();
    const auto sent = step([&](auto done) {
      http::async_write(stream_, request, [done](error_code why, std::size_t) { done(why); });
    });
    return sent ? failed("does not listen", sent) : std::string{};
  }

  NodeClient::Answered receive() {
    http::response_parser<http::string_body> parser;
    parser.body_limit(options_.answer_bytes);
    const auto received = step([&](auto done) {
      http::async_read(stream_, buffer_, parser,
                       [done](error_code why, std::size_t) { done(why); });
    });
    if (received) return failed("gives no answer", received);
    auto answer = parser.release();
    return NodeAnswer{answer.result_int(), std::move(answer.body())};
  }

  NodeClient::Answered receive_events(std::chrono::milliseconds longest_silence,
                                      const NodeClient::OnEvent& on_event) {
    http::response_parser<http::buffer_body> parser;
    parser.body_limit(boost::none);
    const auto begun = step([&](auto done) {
      http::async_read_header(stream_, buffer_, parser,
                              [done](error_code why, std::size_t) { done(why); });
    });
    if (begun) return failed("gives no answer", begun);
    if (parser.get().result() != http::status::ok) {
      return NodeAnswer{parser.get().result_int(), {}};
    }
    limit_ = longest_silence;
    EventStream events;
    std::string room(64U << 10U, '\0');
    while (!parser.is_done()) {
      parser.get().body().data = room.data();
      parser.get().body().size = room.size();
      auto read = step([&](auto done) {
        http::async_read_some(stream_, buffer_, parser,
                              [done](error_code why, std::size_t) { done(why); });
      });
      if (read == http::error::need_buffer) read = {};
      if (read) return failed("has hung up", read);
      const auto got = room.size() - parser.get().body().size;
      if (!events.take({room.data(), got}, on_event)) return std::string{};
      if (events.too_long()) return to_string(url_) + " sends an event without end";
    }
    return to_string(url_) + " has ended the stream";
  }

 private:
  template <class Start>
  error_code step(Start start) {
    error_code outcome = asio::error::operation_aborted;
    stream_.next().expires_after(limit_);
    start([&outcome](error_code why) { outcome = why; });
    context_.restart();
    context_.run();
    return outcome;
  }

  [[nodiscard]] std::string config_host() const {
    return to_string(url_).substr(url_.https ? 8 : 7);
  }
  [[nodiscard]] std::string failed(const char* what, error_code why) const {
    return to_string(url_) + " " + what + ": " + why.message();
  }

  NodeUrl url_;
  const NodeClientOptions& options_;
  std::chrono::milliseconds limit_ = options_.timeout;
  asio::io_context context_;
  net::TrustedStream<beast::tcp_stream> stream_;
  beast::flat_buffer buffer_;
};

NodeClient::Answered ask(const NodeUrl& url, const NodeClientOptions& options, http::verb method,
                         const std::string& target, const std::string& body) {
  Exchange exchange{url, options};
  if (auto problem = exchange.connect(); !problem.empty()) return problem;
  if (auto problem = exchange.send(method, target, body, "", ""); !problem.empty()) return problem;
  return exchange.receive();
}

}  // namespace

NodeClient::NodeClient(NodeUrl url, NodeClientOptions options)
    : url_(std::move(url)), options_(std::move(options)) {}

NodeClient::Answered NodeClient::get(const std::string& target) const {
  return ask(url_, options_, http::verb::get, target, "");
}

NodeClient::Answered NodeClient::post(const std::string& target, const std::string& body) const {
  return ask(url_, options_, http::verb::post, target, body);
}

NodeClient::Answered NodeClient::follow(const std::string& target, const std::string& after,
                                        std::chrono::milliseconds longest_silence,
                                        const OnEvent& on_event) const {
  Exchange exchange{url_, options_};
  if (auto problem = exchange.connect(); !problem.empty()) return problem;
  auto problem = exchange.send(http::verb::get, target, "", "text/event-stream", after);
  if (!problem.empty()) return problem;
  return exchange.receive_events(longest_silence, on_event);
}

}  // namespace fixkeep::ctl
